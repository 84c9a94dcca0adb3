"""Says what is wrong with a body or a query: the first mistake, as a refusal."""

from typing import Any

from ninja.errors import ValidationError

from operations.api.values import UNKNOWN_MEMBER, WRONG_VALUE
from operations.protocol.refusals import InvalidField, Refusal, UnknownField

EXPECTED = {"missing": "a value", "string_type": "text", "model_type": "an object"}


def first_mistake(error: ValidationError) -> Refusal:
    """The refusal for the first mistake, naming the field, what was expected and what was got."""
    mistake = error.errors[0]
    context: dict[str, Any] = mistake.get("ctx") or {}
    if mistake["type"] == UNKNOWN_MEMBER:
        return UnknownField(**context)
    if mistake["type"] == WRONG_VALUE:
        return InvalidField(field=_field(mistake), **context)
    is_missing = mistake["type"] == "missing"
    return InvalidField(
        field=_field(mistake),
        expected=EXPECTED.get(mistake["type"], mistake["msg"]),
        got="missing" if is_missing else "a value of another type",
    )


def _field(mistake: dict[str, Any]) -> str:
    """`lease_seconds`; ninja puts the source and the parameter's name in front."""
    place = [str(part) for part in mistake["loc"]]
    names = place[2:] if place[:1] == ["body"] else place[1:]
    return ".".join(names) or "body"
