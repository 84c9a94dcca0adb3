"""JSON Schema over exact numbers; each mistake is told as pointer, expected and got."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from operations.protocol.json_values import JSON, child_pointer, dumps, is_number
from operations.protocol.words import shortened


class Mistake(NamedTuple):
    """One reason why a payload is not acceptable."""

    pointer: str
    expected: str
    got: str


def _is_integer(_: object, value: JSON) -> bool:
    return is_number(value) and Decimal(value) == Decimal(value).to_integral_value()


def _multiple_of(
    validator: Any, divisor: Decimal | int, value: JSON, _: object
) -> Iterator[ValidationError]:
    if validator.is_type(value, "number") and (Fraction(value) / Fraction(divisor)).denominator > 1:
        yield ValidationError("not a multiple")


_ExactValidator = extend(
    Draft202012Validator,
    validators={"multipleOf": _multiple_of},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": lambda _, value: is_number(value), "integer": _is_integer}
    ),
)
_FORMATS = Draft202012Validator.FORMAT_CHECKER


class SchemaValidator:
    """A schema made ready to judge many payloads."""

    def __init__(self, schema: dict[str, Any]) -> None:
        # An empty registry: a reference that leaves the schema fails instead of being fetched.
        self._validator: Any = _ExactValidator(
            _exact(schema), registry=Registry(), format_checker=_FORMATS
        )

    def mistakes(self, payload: JSON) -> list[Mistake]:
        """Every mistake once, in reading order."""
        errors = sorted(self._validator.iter_errors(payload), key=lambda e: list(map(str, e.path)))
        return list(dict.fromkeys(mistake for error in errors for mistake in _told(error)))


def validator_for(schema: dict[str, Any]) -> SchemaValidator:
    """The validator of one schema; schema_mistakes says beforehand whether it is a schema."""
    return SchemaValidator(schema)


def schema_mistakes(schema: Any) -> list[Mistake]:
    """Why `schema` can't be used: not JSON Schema, a remote reference, an unknown format."""
    try:
        _ExactValidator.check_schema(_exact(schema))
    except SchemaError as error:
        return [Mistake(_pointer(error), "JSON Schema 2020-12", error.message)]
    return list(_unusable(schema, ""))


def _unusable(schema: Any, pointer: str) -> Iterator[Mistake]:
    if isinstance(schema, dict):
        reference, format_name = schema.get("$ref"), schema.get("format")
        if isinstance(reference, str) and not reference.startswith("#"):
            yield Mistake(f"{pointer}/$ref", "a reference within the schema (#/…)", reference)
        if isinstance(format_name, str) and format_name not in _FORMATS.checkers:
            known = ", ".join(sorted(_FORMATS.checkers))
            yield Mistake(f"{pointer}/format", f"one of {known}", format_name)
    children = schema.items() if isinstance(schema, dict) else enumerate(schema)
    for name, child in children:
        if isinstance(child, dict | list):
            yield from _unusable(child, child_pointer(pointer, name))


def _exact(schema: Any) -> Any:
    """The schema with floats (from TOML) as the decimals they were written as."""
    if isinstance(schema, dict):
        return {name: _exact(member) for name, member in schema.items()}
    if isinstance(schema, list):
        return [_exact(item) for item in schema]
    return Decimal(str(schema)) if isinstance(schema, float) else schema


def _pointer(error: ValidationError | SchemaError) -> str:
    pointer = ""
    for name in error.absolute_path:
        pointer = child_pointer(pointer, name)
    return pointer


def _told(error: ValidationError) -> Iterator[Mistake]:
    pointer, got = _pointer(error), shortened(dumps(error.instance), limit=80)
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield Mistake(child_pointer(pointer, name), "a value", "missing")
    elif error.validator == "additionalProperties" and error.validator_value is False:
        for name in _additional(error):
            shown = shortened(dumps(error.instance[name]), limit=80)
            yield Mistake(child_pointer(pointer, name), "no such member", shown)
    else:
        yield Mistake(pointer, _expectation(error), got)


def _additional(error: ValidationError) -> list[str]:
    schema: Any = error.schema
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in error.instance
        if name not in schema.get("properties", {})
        and not any(re.search(pattern, name) for pattern in patterns)
    ]


_WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "pattern": "text that matches {}",
    "format": "the format {}",
    "const": "{}",
    "enum": "one of {}",
    "uniqueItems": "items that differ",
    "type": "type {}",
}


def _expectation(error: ValidationError) -> str:
    value = error.validator_value
    words = _WORDS.get(str(error.validator), f"what {error.validator} of its kind's schema asks")
    text = value if isinstance(value, str) else dumps(value) if "{}" in words else ""
    return words.format(shortened(text, limit=120))
