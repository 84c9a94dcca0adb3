"""Numbers that keep their lexeme, pointers, and exact text."""

import copy
import pickle
from decimal import Decimal

import pytest

from operations.protocol.json_values import (
    MISSING,
    Number,
    child_pointer,
    dumps,
    is_number,
    literal_text,
    number_text,
    pointer_names,
    quoted,
    resolve,
)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy])
def test_a_copied_number_is_the_same_one(again) -> None:
    number = Number("1.50")
    assert again(number) is number


def test_a_pickled_number_keeps_its_lexeme() -> None:
    again = pickle.loads(pickle.dumps(Number("1.50")))
    assert (again, again.text, type(again)) == (Decimal("1.5"), "1.50", Number)


def test_what_is_missing_says_so_and_is_not_null() -> None:
    assert repr(MISSING) == "missing"
    assert MISSING is not None
    assert MISSING != "missing"


@pytest.mark.parametrize(
    ("value", "is_one"),
    [(1, True), (Decimal(1), True), (Number("1"), True), (True, False), ("1", False), (1.5, False)],
)
def test_what_is_a_number(*, value: object, is_one: bool) -> None:
    assert is_number(value) is is_one


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1" * 21, "1" * 21),
        ("1" * 22, f"1.{'1' * 21}e+21"),
        ("1e20", "1" + "0" * 20),
        ("1e21", "1e+21"),
        ("12e20", "1.2e+21"),
        ("123456789012345678901.5", "123456789012345678901.5"),
        ("1234567890123456789012.5", "1.2345678901234567890125e+21"),
        ("0.000001", "0.000001"),
        ("0.0000012", "0.0000012"),
        ("0.0000001", "1e-7"),
        ("0.00000012", "1.2e-7"),
        ("-12.50", "-12.5"),
        ("-0.0", "0"),
        ("0", "0"),
        ("100", "100"),
        ("1.0", "1"),
        ("0.1", "0.1"),
    ],
)
def test_the_normal_form_of_a_number(number: str, text: str) -> None:
    assert number_text(Number(number)) == text
    assert number_text(Decimal(number)) == text


def test_our_own_whole_numbers_have_it_too() -> None:
    assert number_text(1200) == "1200"
    assert number_text(-7) == "-7"


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN"])
def test_what_is_not_finite_has_no_normal_form(number: str) -> None:
    with pytest.raises(ValueError, match=f"expected a finite number, got {number}"):
        number_text(Decimal(number))


def test_a_literal_is_told_from_what_equals_it() -> None:
    assert [literal_text(value) for value in (None, True, False)] == ["null", "true", "false"]
    assert [literal_text(value) for value in (0, 1, "", "null", [])] == [None] * 5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        ({"a": {}, "b": [[], {}]}, '{"a":{},"b":[[],{}]}'),
        ([1, [2, 3], {"c": 4, "d": "e"}], '[1,[2,3],{"c":4,"d":"e"}]'),
        (Number("1.50"), "1.50"),
        (Decimal("1.50"), "1.5"),
        ('\ud800\x00\n"é', '"\\ud800\\u0000\\n\\"é"'),
    ],
)
def test_a_value_is_written_compactly_in_its_own_order(value: object, text: str) -> None:
    assert dumps(value) == text


def test_what_is_not_json_is_told_by_its_type() -> None:
    with pytest.raises(TypeError, match="expected a JSON value without floats, got float"):
        dumps([1.5])
    with pytest.raises(TypeError, match="expected text as a member's name, got int"):
        quoted(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "pointer"), [("a", "/x/a"), (3, "/x/3"), ("a/b~c", "/x/a~1b~0c"), ("~1", "/x/~01")]
)
def test_a_pointer_goes_down_and_comes_back(name: str | int, pointer: str) -> None:
    assert child_pointer("/x", name) == pointer
    assert pointer_names(pointer) == ["x", str(name)]


def test_the_whole_and_what_is_below_nothing() -> None:
    assert pointer_names("") == []
    assert pointer_names("/a~0~1/b") == ["a~/", "b"]
    with pytest.raises(ValueError, match="expected a JSON pointer such as /amount, got 'amount'"):
        pointer_names("amount")


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("/0", "a"),
        ("/10", "k"),
        ("/11", MISSING),
        ("/01", MISSING),
        ("/-1", MISSING),
        ("/1e0", MISSING),
        ("/999999999", MISSING),
        ("/9999999999999999999999", MISSING),
        ("/0/0", MISSING),
    ],
)
def test_an_item_is_found_by_its_plain_index(pointer: str, found: object) -> None:
    assert resolve(list("abcdefghijk"), pointer) == found


def test_null_is_found_and_nothing_is_below_it() -> None:
    assert resolve({"a": None}, "/a") is None
    assert resolve({"a": None}, "/a/b") is MISSING
    assert resolve({"a": {"b": None}}, "/a/b") is None
