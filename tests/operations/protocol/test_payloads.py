from decimal import Decimal
from enum import StrEnum
from hashlib import sha256

import pytest
from hypothesis import given

from operations.protocol.json_values import number_text, pointer_names, resolve
from operations.protocol.payloads import (
    MISSING,
    Money,
    Number,
    canonical_bytes,
    differences,
    digest,
    dumps,
    parse_json,
)

from .json_strategies import numbers, respelled, values


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        ('{"sku":"vanilla","quantity":6}', '{"quantity":6,"sku":"vanilla"}'),
        ('{"b":{"d":3,"c":2},"a":1}', '{"a":1,"b":{"c":2,"d":3}}'),
        ("[10, 10.0, 1e1, 100E-1]", "[10,10,10,10]"),
        ("[-0, 0.0, -0.00, 0e5]", "[0,0,0,0]"),
        ("[0.5, 5e-1, -0.000001, 1e-7]", "[0.5,0.5,-0.000001,1e-7]"),
        ("[1e20, 1e21, 12e21, 1.50]", "[100000000000000000000,1e+21,1.2e+22,1.5]"),
        ("9007199254740993", "9007199254740993"),
        ('{"\\u20ac":1,"\\r":2,"1":3,"\\ud83d\\ude00":4}', '{"\\r":2,"1":3,"€":1,"😀":4}'),
        ('"\\u001B[0m \\/ \\u00e9"', '"\\u001b[0m / é"'),
        ("[{}, [], null, true, false]", "[{},[],null,true,false]"),
    ],
)
def test_the_one_spelling(raw: str, canonical: str) -> None:
    assert canonical_bytes(parse_json(raw)).decode() == canonical


def test_members_are_sorted_by_code_point_and_not_by_utf16() -> None:
    assert canonical_bytes({"\U0001f600": 1, "\uff5e": 2}) == '{"\uff5e":2,"\U0001f600":1}'.encode()


def test_the_digest_is_the_sha_256_of_the_canonical_bytes() -> None:
    expected = sha256(b'{"quantity":6,"sku":"vanilla"}').hexdigest()
    assert digest(parse_json('{"sku":"vanilla","quantity":6.0}')) == expected


@given(values)
def test_another_spelling_has_the_same_bytes_and_no_difference(value: object) -> None:
    other = respelled(value)
    assert canonical_bytes(other) == canonical_bytes(value)
    assert differences(value, other) == []


@given(values, values)
def test_equal_bytes_exactly_when_there_is_no_difference(left: object, right: object) -> None:
    assert (canonical_bytes(left) == canonical_bytes(right)) == (not differences(left, right))


@given(values)
def test_the_canonical_bytes_are_json_of_an_equal_value(value: object) -> None:
    read = parse_json(canonical_bytes(value))
    assert differences(value, read) == []
    assert canonical_bytes(read) == canonical_bytes(value)


@pytest.mark.parametrize("amount", ['"100.00"', '"100"', "100", "1e2", "100.0"])
def test_with_money_the_amount_is_spelled_by_its_value(amount: str) -> None:
    value = parse_json(f'{{"lines":[{{"amount":{amount}}}],"amount":"100.00"}}')
    money = Money(Decimal(100), "EUR", "/lines/0/amount")
    assert canonical_bytes(value, money=money) == (
        b'{"amount":"100.00","lines":[{"amount":"100"}]}'
    )
    assert canonical_bytes([1], money=money) == b"[1]"


def test_a_digest_spells_the_amount_by_its_value_too() -> None:
    money = Money(Decimal(100), "EUR", "/amount")
    assert digest({"amount": "100.00"}, money=money) == digest({"amount": 100}, money=money)
    assert digest({"amount": "100.00"}) != digest({"amount": 100})


@pytest.mark.parametrize(
    "raw",
    [
        '{"lines":[]}',
        '{"lines":{}}',
        '{"lines":"0 amount"}',
        '{"lines":["amount","0"]}',
        '{"lines":[{"amount":"much"},{"amount":"2.00"}]}',
        '{"lines":7}',
        '{"lines":null}',
        '{"amount":"100.00"}',
    ],
)
def test_what_stands_elsewhere_or_is_no_amount_is_spelled_as_it_is(raw: str) -> None:
    money = Money(Decimal(100), "EUR", "/lines/0/amount")
    assert canonical_bytes(parse_json(raw), money=money) == raw.encode()


@given(numbers)
def test_the_normal_form_of_a_number_is_exact(number: Number) -> None:
    assert Decimal(number_text(number)) == Decimal(number.text)


def test_our_own_values_may_be_whole_numbers_decimals_and_words() -> None:
    class Word(StrEnum):
        READY = "ready"

    value = {"n": 3, "d": Decimal("1.50"), "w": Word.READY, "t": (1, True, None)}
    assert canonical_bytes(value) == b'{"d":1.5,"n":3,"t":[1,true,null],"w":"ready"}'
    assert dumps(value) == '{"n":3,"d":1.5,"w":"ready","t":[1,true,null]}'


@pytest.mark.parametrize("value", [1.5, {"a": [0.1]}, {1: 2}, {"a": {1}}, b"x", Decimal("NaN")])
def test_what_is_not_exact_json_is_an_error(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical_bytes(value)
    with pytest.raises((TypeError, ValueError)):
        dumps(value)


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", {"a/b": [{"~": 1}], "": 2}),
        ("/a~1b/0/~0", 1),
        ("/", 2),
        ("/a~1b/1", MISSING),
        ("/a~1b/00", MISSING),
        ("/a~1b/-", MISSING),
        ("/a~1b/x", MISSING),
        ("/nothing", MISSING),
        ("//x", MISSING),
    ],
)
def test_a_pointer_finds_its_value(pointer: str, found: object) -> None:
    assert resolve({"a/b": [{"~": 1}], "": 2}, pointer) == found


@pytest.mark.parametrize("pointer", ["a", "a/b", "/~2", "/~"])
def test_what_is_no_pointer_is_an_error(pointer: str) -> None:
    with pytest.raises(ValueError, match="expected a JSON pointer"):
        pointer_names(pointer)
