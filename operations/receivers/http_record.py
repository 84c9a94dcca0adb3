"""Reading a JSON API's records as receipts, and its answers for what they are."""

from collections.abc import Mapping

from operations.protocol.json_values import JSON, MISSING, Missing, dumps, is_number, pointer_names
from operations.protocol.payloads import canonical_bytes, resolve
from operations.protocol.words import shortened
from operations.receivers.answers import read_json
from operations.receivers.http_call import HttpAnswer
from operations.receivers.http_shape import AnswerShape, NotFoundShape, RecordShape
from operations.receivers.http_template import fill_value

_LONGEST_WORD = 60


def receipt_value(record: JSON, shape: RecordShape) -> dict[str, JSON] | None:
    """The receipt that a record is; None for what is no object.

    It says no more than the record: a part that is not there, or a word that is not listed, makes
    a receipt that can't be read, and so proves nothing.
    """
    if not isinstance(record, Mapping):
        return None
    value: dict[str, JSON] = {"operation_id": _or_none(resolve(record, shape.key))}
    payload = _payload(record, shape)
    if payload is not MISSING:
        value["payload"] = payload
    value["status"] = _status(record, shape)
    value["effect_id"] = effect_id(record, shape)
    if shape.environment is not None:
        value["environment"] = _environment(resolve(record, shape.environment), shape)
    if shape.occurred_at is not None:
        value["occurred_at"] = _or_none(resolve(record, shape.occurred_at))
    return value


def effect_id(record: JSON, shape: RecordShape) -> JSON:
    """The record's own id; one that is a number by its digits. None when it has none."""
    found = resolve(record, shape.effect_id)
    return dumps(found) if is_number(found) else _or_none(found)


def record_in(body: JSON | Missing, shape: AnswerShape) -> JSON | Missing:
    """The record in an answer; MISSING when the answer is not the one that carries it."""
    return resolve(body, shape.record) if has_members(body, shape.members) else MISSING


def has_members(body: JSON | Missing, members: Mapping[str, JSON]) -> bool:
    """Whether each of these pointers leads to exactly this value."""
    return body is not MISSING and all(
        same(resolve(body, pointer), value) for pointer, value in members.items()
    )


def is_not_found(answer: HttpAnswer, shape: NotFoundShape, texts: Mapping[str, str]) -> bool:
    """Whether it is the receiver's exact not-found answer, to this very question (rule 5)."""
    body = read_json(answer.raw)
    if answer.status != shape.status or body is MISSING:
        return False
    if shape.body is not MISSING:
        return same(body, fill_value(shape.body, texts))
    return has_members(body, {p: fill_value(v, texts) for p, v in shape.members.items()})


def error_code(body: JSON | Missing, pointer: str | None) -> str | None:
    """The receiver's own error code, a number by its digits; None when there is none."""
    code = MISSING if pointer is None else resolve(body, pointer)
    if is_number(code):
        code = dumps(code)
    return code if isinstance(code, str) and 0 < len(code) <= 255 else None


def same(one: JSON | Missing, other: JSON | Missing) -> bool:
    """Whether two values are equal under rule P; what is missing equals nothing."""
    if one is MISSING or other is MISSING:
        return False
    return canonical_bytes(one) == canonical_bytes(other)


def _payload(record: JSON, shape: RecordShape) -> JSON | Missing:
    if shape.payload is not None:
        return resolve(record, shape.payload)
    payload: dict[str, JSON] = {}
    for pointer, place in shape.fields.items():
        value = resolve(record, place)
        if value is not MISSING:
            _place(payload, pointer, value)
    return payload


def _place(payload: dict[str, JSON], pointer: str, value: JSON) -> None:
    *above, last = pointer_names(pointer)
    for name in above:
        payload = payload.setdefault(name, {})
    payload[last] = value


def _status(record: JSON, shape: RecordShape) -> str:
    if shape.status is None:
        return "confirmed"
    said = resolve(record, shape.status)
    return next(
        (str(meaning) for word, meaning in shape.statuses if same(word, said)), _unlisted(said)
    )


def _environment(said: JSON | Missing, shape: RecordShape) -> JSON:
    if not shape.environments:
        return "" if said is MISSING or said is None else said
    return next(
        (ours for ours, word in shape.environments.items() if same(word, said)), _unlisted(said)
    )


def _unlisted(said: JSON | Missing) -> str:
    """A word of the receiver's that the configuration does not know; no word of ours by chance."""
    word = "nothing" if said is MISSING else shortened(dumps(said), limit=_LONGEST_WORD)
    return f"{word}, which is not listed"


def _or_none(found: JSON | Missing) -> JSON:
    return None if found is MISSING else found
