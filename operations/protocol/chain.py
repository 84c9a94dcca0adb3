"""The hash chain of audit entries: each hash covers the one before, the number and the body."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from operations.protocol.payloads import canonical_bytes

ZERO = bytes(32)


class Break(NamedTuple):
    """The first entry that does not follow from the one before it."""

    seq: int
    reason: str


def entry_hash(prev: bytes, seq: int, body: bytes) -> bytes:
    """SHA-256 over the hash before, the number as 8 big-endian bytes, and the body."""
    return sha256(prev + seq.to_bytes(8, "big") + body).digest()


def body_bytes(mapping: Mapping[str, Any]) -> bytes:
    """The canonical bytes of an entry's body. Raises TypeError for what is not JSON."""
    return canonical_bytes(mapping)


def check_chain(entries: Iterable[tuple[int, bytes, bytes, bytes]]) -> Break | None:
    """The first break in a whole chain of (seq, prev, hash, body), or None.

    A chain starts at 1 after 32 zero bytes. That its end was cut off can't be seen from within.
    """
    last = ZERO
    for number, (seq, prev, recorded, body) in enumerate(entries, start=1):
        if seq != number:
            return Break(seq, f"expected number {number}, got {seq}")
        if bytes(prev) != last:
            return Break(seq, f"expected the hash of entry {number - 1} before it, got another")
        last = entry_hash(bytes(prev), seq, bytes(body))
        if bytes(recorded) != last:
            return Break(
                seq, f"expected hash {last.hex()} of its body, got {bytes(recorded).hex()}"
            )
    return None


def salted(salt: bytes, text: str) -> str:
    """Hex SHA-256 of salt and text: proves erasable words without holding them."""
    return sha256(salt + text.encode("utf-8", "surrogatepass")).hexdigest()
