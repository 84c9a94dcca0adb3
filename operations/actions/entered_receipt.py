"""A receipt as a person reads it off the receiver's record and types it in, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from operations.actions.reasons import optional_words, require_words
from operations.models import Operation
from operations.protocol.payloads import (
    JSON,
    MISSING,
    MalformedJSON,
    child_pointer,
    dumps,
    parse_json,
)
from operations.protocol.receipts import InvalidReceipt, Receipt, parse_receipt
from operations.protocol.refusals import InvalidField
from operations.protocol.words import shortened
from operations.registry import too_fine_amount_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What was typed, as text. Nothing of it comes from the operation's own record.

    `fields` maps the JSON pointers of `leaf_pointers` to text; one that is left out is a member
    the receiver's record does not show. `payload_text` is the whole payload as JSON instead.
    `evidence` says where it was read: a link, a document's number, who said so on the telephone.
    """

    operation_key: str
    effect_id: str
    status: str
    evidence: str
    fields: Mapping[str, str] = field(default_factory=dict)
    payload_text: str = ""
    occurred_at: str = ""


def leaf_pointers(payload: JSON, *, fields: tuple[str, ...] | None = None) -> list[str]:
    """The JSON pointers to be typed, in the payload's order: its scalars and empty containers.

    `fields` are a profile's significant fields; None stands for the whole payload.
    """
    pointers = [pointer for pointer, _ in _leaves(payload, "")]
    if fields is None:
        return pointers
    return [p for p in pointers if any(p == f or p.startswith(f"{f}/") for f in fields)]


def read_entered(entered: Entered, operation: Operation) -> tuple[Receipt, bytes]:
    """The receipt that was typed, and the bytes to keep of it. Raises InvalidField, MalformedJSON.

    A number must be typed as one: text that is none stays text, and differs. An amount with more
    decimals than its currency has is a slip of the pen, and raises InvalidField too.
    """
    value: dict[str, JSON] = {
        "operation_id": require_words(
            entered.operation_key, field="operation_key", expected="the key on the record"
        ),
        "status": require_words(entered.status, field="status", expected="what the record says"),
        "effect_id": require_words(
            entered.effect_id, field="effect_id", expected="the receiver's number of its record"
        ),
    }
    payload = _typed_payload(entered, operation)
    if payload is not MISSING:
        _require_amount(payload, operation)
        value["payload"] = payload
    occurred_at = optional_words(entered.occurred_at, field="occurred_at")
    if occurred_at:
        value["occurred_at"] = occurred_at
    evidence = require_words(entered.evidence, field="evidence", expected="where you read it")
    try:
        receipt = parse_receipt(value)
    except InvalidReceipt as invalid:
        raise InvalidField(
            field=invalid.pointer.lstrip("/"), expected=invalid.expected, got=invalid.got
        ) from None
    return receipt, dumps({**value, "evidence": evidence}).encode()


def _require_amount(payload: JSON, operation: Operation) -> None:
    mistake = too_fine_amount_of(operation.kind, payload, currency=operation.currency)
    if mistake:
        raise InvalidField(field=mistake.pointer, expected=mistake.expected, got=mistake.got)


def _typed_payload(entered: Entered, operation: Operation) -> JSON:
    if entered.payload_text.strip():
        return parse_json(entered.payload_text)
    expected = parse_json(operation.payload_text)
    known = {pointer for pointer, _ in _leaves(expected, "")}
    for pointer, text in entered.fields.items():
        if pointer not in known:
            names = ", ".join(sorted(known))
            raise InvalidField(field=pointer, expected=f"one of {shortened(names)}", got=pointer)
        optional_words(text, field=pointer)
    return _filled(expected, "", entered.fields)


def _leaves(value: JSON, pointer: str) -> list[tuple[str, JSON]]:
    children = _children(value)
    if not children:
        return [(pointer, value)]
    return [
        leaf for name, child in children for leaf in _leaves(child, child_pointer(pointer, name))
    ]


def _children(value: JSON) -> list[tuple[Any, JSON]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    return []


def _filled(expected: JSON, pointer: str, fields: Mapping[str, str]) -> JSON:
    """The shape of `expected` with what was typed in its leaves; what was not typed is missing."""
    children = _children(expected)
    if not children:
        return _typed(expected, fields[pointer]) if pointer in fields else MISSING
    filled = [
        (name, _filled(child, child_pointer(pointer, name), fields)) for name, child in children
    ]
    kept = [(name, child) for name, child in filled if child is not MISSING]
    if not kept:
        return MISSING
    return dict(kept) if isinstance(expected, dict) else [child for _, child in kept]


def _typed(expected: JSON, text: str) -> JSON:
    """Text where text is expected; else the JSON value it spells, or text if it spells none."""
    if isinstance(expected, str):
        return text
    try:
        return parse_json(text.strip())
    except MalformedJSON:
        return text
