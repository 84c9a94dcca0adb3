"""Whether what stands beside an audit entry's body says the same as the body, which is hashed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from operations.protocol.chain import salted
from operations.protocol.payloads import MalformedJSON, TooLarge, canonical_bytes, dumps, parse_json

# The members of a body that columns repeat, so that they can be searched.
TOLD = (
    "stream",
    "at",
    "actor_kind",
    "actor_id",
    "event",
    "state_before",
    "state_after",
    "version",
    "generation",
    "token",
    "cause",
    "detail",
    "request_id",
)
LONGEST = 64 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The personal part of an entry. Erased words are empty; their digests stay in the body."""

    salt: bytes
    actor_name: str
    reason: str


def body_of(body: bytes | memoryview) -> Mapping[str, Any]:
    """The body's members; none when it is not a JSON object, which every entry's is."""
    try:
        value = parse_json(bytes(body), max_bytes=LONGEST)
    except (MalformedJSON, TooLarge):
        return {}
    return value if isinstance(value, dict) else {}


def columns_fault(said: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    """Why the columns `told`, plain JSON by the names of TOLD, contradict the body; else None.

    The chain covers the body alone, so a column that was changed behind it shows only here.
    """
    for name in TOLD:
        if name not in said:
            return f"expected a body that says its {name}, got one that does not"
        if canonical_bytes(said[name]) != canonical_bytes(told[name]):
            return f"expected {name} {dumps(said[name])}, as hashed, got {dumps(told[name])}"
    return None


def words_fault(said: Mapping[str, Any], words: Words | None) -> str | None:
    """Why the words contradict the body's salted digests; None if they agree or were erased."""
    if words is None:
        if said.get("actor_kind") == "person" or said.get("reason"):
            return "expected the words of this entry, or their erasure on record, got neither"
        return None
    for name, text in (("actor_name", words.actor_name), ("reason", words.reason)):
        if text and said.get(name) != salted(words.salt, text):
            return f"expected the {name} that its digest was made from, got other words"
    return None


def is_erased(said: Mapping[str, Any], words: Words | None) -> bool:
    """Whether words that the body has digests of are gone on purpose."""
    if words is None:
        return False
    return not words.actor_name or bool(said.get("reason") and not words.reason)
