"""JSON Schema over exact numbers: each keyword's mistake in words, with its place."""

from typing import Any

import pytest

from operations.protocol.json_schema import Mistake, schema_mistakes, validator_for
from operations.protocol.payloads import parse_json


def mistakes(schema: dict[str, Any], raw: str) -> list[Mistake]:
    return validator_for(schema).mistakes(parse_json(raw))


@pytest.mark.parametrize(
    ("schema", "raw", "expected"),
    [
        ({"minimum": 3}, "2", "at least 3"),
        ({"maximum": 3}, "4", "at most 3"),
        ({"exclusiveMinimum": 3}, "3", "more than 3"),
        ({"exclusiveMaximum": 3}, "3", "less than 3"),
        ({"multipleOf": 3}, "4", "a multiple of 3"),
        ({"minLength": 2}, '"a"', "at least 2 characters"),
        ({"maxLength": 1}, '"ab"', "at most 1 characters"),
        ({"minItems": 1}, "[]", "at least 1 items"),
        ({"maxItems": 1}, "[1,2]", "at most 1 items"),
        ({"minProperties": 1}, "{}", "at least 1 members"),
        ({"maxProperties": 1}, '{"a":1,"b":2}', "at most 1 members"),
        ({"pattern": "^a$"}, '"b"', "text that matches ^a$"),
        ({"format": "email"}, '"b"', "the format email"),
        ({"const": "a"}, '"b"', "a"),
        ({"const": [1]}, "[2]", "[1]"),
        ({"enum": ["a", 1]}, '"b"', 'one of ["a",1]'),
        ({"uniqueItems": True}, "[1,1.0]", "items that differ"),
        ({"type": "null"}, "0", "type null"),
        ({"type": ["null", "string"]}, "0", 'type ["null","string"]'),
        ({"not": {"type": "number"}}, "0", "what not of its kind's schema asks"),
        (
            {"unevaluatedProperties": False},
            '{"d":2}',
            "what unevaluatedProperties of its kind's schema asks",
        ),
    ],
)
def test_each_keyword_says_what_it_expected(
    schema: dict[str, Any], raw: str, expected: str
) -> None:
    assert mistakes(schema, raw) == [Mistake("", expected, raw)]


@pytest.mark.parametrize(
    ("raw", "is_fine"),
    [("1", True), ("1.0", True), ("1e2", True), ("1.5", False), ("true", False), ('"1"', False)],
)
def test_an_integer_is_a_number_without_a_fraction(*, raw: str, is_fine: bool) -> None:
    assert (mistakes({"type": "integer"}, raw) == []) is is_fine


@pytest.mark.parametrize(
    ("divisor", "raw", "is_fine"),
    [
        (0.1, "0.3", True),
        (0.1, "0.35", False),
        (0.01, "9007199254740993.01", True),
        (0.01, "9007199254740993.001", False),
        (0.01, "1" * 60, True),
        (2, '"3"', True),
        (2, "true", True),
    ],
)
def test_multiples_are_exact_and_asked_of_numbers_only(
    *, divisor: float, raw: str, is_fine: bool
) -> None:
    assert (mistakes({"multipleOf": divisor}, raw) == []) is is_fine


def test_numbers_of_a_schema_from_toml_are_the_decimals_that_were_written() -> None:
    schema = {"properties": {"a": {"enum": [0.1]}}, "allOf": [{"maxProperties": 1}]}
    assert mistakes(schema, '{"a":0.10}') == []
    assert mistakes(schema, '{"a":0.1000000000000000055}') != []


def test_mistakes_come_in_reading_order_and_once_each() -> None:
    schema = {
        "properties": {"a": {"minimum": 1}, "b": {"items": {"type": "string"}}},
        "allOf": [{"properties": {"a": {"minimum": 1}}}],
    }
    found = mistakes(schema, '{"b":[1,"x",2],"a":0}')
    assert found == [
        ("/a", "at least 1", "0"),
        ("/b/0", "type string", "1"),
        ("/b/2", "type string", "2"),
    ]


def test_a_member_too_many_and_one_that_is_missing_are_named() -> None:
    schema = {
        "properties": {"a/b": {}},
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
        "required": ["a/b", "c"],
    }
    assert mistakes(schema, '{"x-1":1,"d":2,"a/b":3}') == [
        ("/d", "no such member", "2"),
        ("/c", "a value", "missing"),
    ]
    assert mistakes({"additionalProperties": False}, '{"d":2}') == [("/d", "no such member", "2")]


def test_a_schema_for_the_rest_is_judged_as_a_schema() -> None:
    schema = {"additionalProperties": {"type": "string"}}
    assert mistakes(schema, '{"d":2}') == [("/d", "type string", "2")]


@pytest.mark.parametrize(("size", "more"), [(78, '"'), (79, "… (1 more characters)")])
def test_what_was_got_is_shown_in_80_characters(size: int, more: str) -> None:
    shown = f'"{"x" * size}{more}'
    assert mistakes({"maxLength": 1}, f'"{"x" * size}"')[0].got == shown
    schema = {"additionalProperties": False}
    assert mistakes(schema, f'{{"d":"{"x" * size}"}}')[0].got == shown


@pytest.mark.parametrize(("size", "more"), [(120, ""), (121, "… (1 more characters)")])
def test_what_was_expected_is_shown_in_120_characters(size: int, more: str) -> None:
    found = mistakes({"const": "x" * size}, "1")
    assert found[0].expected == f"{'x' * 120}{more}"


def test_a_schema_that_fetches_or_names_no_known_format_is_told() -> None:
    remote = {"items": [{"$ref": "#/x"}, {"$ref": "https://example.org/s"}]}
    assert schema_mistakes({"allOf": remote["items"]}) == [
        ("/allOf/1/$ref", "a reference within the schema (#/…)", "https://example.org/s")
    ]
    [mistake] = schema_mistakes({"properties": {"a/b": {"format": "phone"}}})
    assert (mistake.pointer, mistake.got) == ("/properties/a~1b/format", "phone")
    assert mistake.expected.startswith("one of ")
    known = mistake.expected.removeprefix("one of ").split(", ")
    assert known == sorted(known)
    assert {"email", "date", "uuid"} <= set(known)


def test_a_member_that_is_called_like_a_keyword_is_no_keyword() -> None:
    assert schema_mistakes({"properties": {"$ref": {}, "format": {"type": "string"}}}) == []


def test_what_is_no_schema_is_told_with_its_place() -> None:
    assert schema_mistakes({"properties": {"a": {"type": "objekt"}}}) == [
        Mistake(
            "/properties/a/type",
            "JSON Schema 2020-12",
            "'objekt' is not valid under any of the given schemas",
        )
    ]


def test_a_reference_that_leaves_the_schema_is_never_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", asked.append)
    with pytest.raises(Exception, match="Unresolvable"):
        mistakes({"$ref": "https://example.org/s"}, "1")
    assert asked == []
