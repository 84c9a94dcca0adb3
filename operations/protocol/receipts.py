"""Receipts: what a receiver's word must look like, and what it is worth (rules 4 and 5)."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from operations.protocol.payloads import (
    JSON,
    MISSING,
    Difference,
    Money,
    differences,
    dumps,
    not_compared,
)
from operations.protocol.profiles import Profile
from operations.protocol.states import ReceiptStatus
from operations.protocol.words import shortened

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LONGEST_TEXT = 255


class InvalidReceipt(Exception):
    """A value that is no receipt. It is kept as evidence all the same; it proves nothing."""

    def __init__(self, pointer: str, expected: str, got: str) -> None:
        self.pointer, self.expected, self.got = pointer, expected, got
        super().__init__(f'receipt at "{pointer}": expected {expected}, got {got}.')


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A receiver's word. `operation_key` is the receipt's `operation_id`; `payload` may be
    MISSING, which corroborates and never confirms."""

    operation_key: str
    payload: JSON
    status: ReceiptStatus
    effect_id: str | None = None
    environment: str | None = None
    occurred_at: datetime | None = None


class Judged(StrEnum):
    """What a receipt is by itself, before the operation's state is asked."""

    MATCH = "match"
    MISMATCH = "mismatch"
    NOT_PROOF = "not_proof"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its reasons. `not_compared` lists pointers outside the significant fields."""

    verdict: Judged
    differences: tuple[Difference, ...] = ()
    not_compared: tuple[str, ...] = ()


def parse_receipt(value: JSON) -> Receipt:
    """Read a receipt (design section 8). Members that are not known are no mistake.

    Raises InvalidReceipt with pointer, expected and got.
    """
    if not isinstance(value, dict):
        raise InvalidReceipt("", "an object", _shown(value))
    key = _text(value, "operation_id")
    if key is None:
        raise InvalidReceipt("/operation_id", "the operation's key", _got(value, "operation_id"))
    return Receipt(
        operation_key=key,
        payload=value.get("payload", MISSING),
        status=_status(value),
        effect_id=_text(value, "effect_id"),
        environment=_text(value, "environment"),
        occurred_at=_instant(value),
    )


def judge(
    receipt: Receipt,
    *,
    key: str,
    environment: str,
    payload: JSON,
    profile: Profile,
    money: Money | None = None,
) -> Judgement:
    """What the receipt is worth for the operation with this key, environment and payload.

    A match names the key, came from this environment, carries the payload (or each significant
    field, equal), says confirmed and has an effect id. Pending and refused are no proof; neither
    is one that only carries fewer fields than are compared: it corroborates, never confirms.
    """
    strangers = _strangers(receipt, key, environment)
    found = _payload_differences(receipt, payload, profile, money)
    left_out = tuple(not_compared(payload, profile.significant_fields))
    if strangers or (found and not _is_lesser_source(receipt, found, profile)):
        verdict = Judged.MISMATCH
    elif found or receipt.status is not ReceiptStatus.CONFIRMED or receipt.effect_id is None:
        verdict = Judged.NOT_PROOF
    else:
        verdict = Judged.MATCH
    return Judgement(verdict, (*strangers, *found), left_out)


def _strangers(receipt: Receipt, key: str, environment: str) -> tuple[Difference, ...]:
    """Differences of the receipt's own members; their pointers have no slash."""
    found = []
    if receipt.operation_key != key:
        found.append(_stranger("operation_id", key, receipt.operation_key))
    if receipt.environment not in (None, environment):
        found.append(_stranger("environment", environment, receipt.environment))
    return tuple(found)


def _stranger(name: str, expected: str, got: str | None) -> Difference:
    return Difference(name, dumps(expected), _shown(got), "value")


def _payload_differences(
    receipt: Receipt, payload: JSON, profile: Profile, money: Money | None
) -> tuple[Difference, ...]:
    if receipt.payload is MISSING:
        return (Difference("", shortened(dumps(payload)), "missing", "missing"),)
    fields = profile.significant_fields
    return tuple(differences(payload, receipt.payload, money=money, fields=fields))


def _is_lesser_source(receipt: Receipt, found: tuple[Difference, ...], profile: Profile) -> bool:
    if receipt.payload is MISSING:
        return True
    return profile.significant_fields is not None and all(
        difference.reason == "missing" for difference in found
    )


def _status(value: dict[str, JSON]) -> ReceiptStatus:
    word, confirmed = value.get("status", MISSING), value.get("confirmed", MISSING)
    if confirmed is not MISSING and not isinstance(confirmed, bool):
        raise InvalidReceipt("/confirmed", "true or false", _shown(confirmed))
    said = ReceiptStatus.CONFIRMED if confirmed is True else ReceiptStatus.PENDING
    if word is MISSING and confirmed is not MISSING:
        return said
    if not isinstance(word, str) or word not in set(ReceiptStatus):
        raise InvalidReceipt("/status", "confirmed, pending or refused", _got(value, "status"))
    status = ReceiptStatus(word)
    if confirmed is not MISSING and (status is ReceiptStatus.CONFIRMED) is not confirmed:
        raise InvalidReceipt("/confirmed", f"what status {word} says", _shown(confirmed))
    return status


def _text(value: dict[str, JSON], name: str) -> str | None:
    text = value.get(name)
    if text is None:
        return None
    is_usable = isinstance(text, str) and 0 < len(text) <= _LONGEST_TEXT
    if not is_usable or _UNSTORABLE.search(text):
        expected = f"text of 1 to {_LONGEST_TEXT} characters without U+0000"
        raise InvalidReceipt(f"/{name}", expected, _shown(text))
    return str(text)


def _instant(value: dict[str, JSON]) -> datetime | None:
    text = _text(value, "occurred_at")
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise InvalidReceipt("/occurred_at", "ISO 8601 with a zone", _shown(text))
    return at


def _got(value: dict[str, JSON], name: str) -> str:
    return _shown(value[name]) if name in value else "missing"


def _shown(value: JSON) -> str:
    return shortened(dumps(value), limit=80)
