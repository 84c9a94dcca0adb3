from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.json_comparison import MAX_DIFFERENCES
from operations.protocol.payloads import (
    Difference,
    Money,
    differences,
    not_compared,
    parse_json,
)

from .json_strategies import values

REFUND = '{"order":"A-17","amount":"100.00","currency":"EUR"}'
MONEY = Money(Decimal("100.00"), "EUR", "/amount")


def compared(expected: str, got: str, **more: object) -> list[Difference]:
    return differences(parse_json(expected), parse_json(got), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expected", "got", "difference"),
    [
        ('{"quantity":6}', '{"quantity":7}', ("/quantity", "6", "7", "value")),
        ('{"quantity":1}', '{"quantity":true}', ("/quantity", "1", "true", "type")),
        ('{"quantity":1}', '{"quantity":"1"}', ("/quantity", "1", '"1"', "type")),
        ('{"quantity":"1"}', '{"quantity":1}', ("/quantity", '"1"', "1", "type")),
        ('{"note":null}', "{}", ("/note", "null", "missing", "missing")),
        ("{}", '{"note":null}', ("/note", "missing", "null", "unexpected")),
        ('{"note":null}', '{"note":false}', ("/note", "null", "false", "type")),
        ("[1,2]", "[1]", ("/1", "2", "missing", "missing")),
        ("[1]", "[1,null]", ("/1", "missing", "null", "unexpected")),
        ("{}", "[]", ("", "{}", "[]", "type")),
        ('{"a":[]}', '{"a":{}}', ("/a", "[]", "{}", "type")),
        ('"é"', '"e\\u0301"', ("", '"é"', '"e\u0301"', "value")),
        ("9007199254740993", "9007199254740992", ("", *2 * ("",), "value")),
        ('{"a/b":{"~":1}}', '{"a/b":{"~":2}}', ("/a~1b/~0", "1", "2", "value")),
    ],
)
def test_one_difference_is_told(expected: str, got: str, difference: tuple[str, ...]) -> None:
    found = compared(expected, got)
    assert len(found) == 1
    if difference[1:3] == ("", ""):
        difference = ("", expected, got, "value")
    assert found[0] == difference


def test_array_order_counts_and_member_order_does_not() -> None:
    assert [found.pointer for found in compared("[1,2]", "[2,1]")] == ["/0", "/1"]
    assert compared('{"a":1,"b":2}', '{"b":2.0,"a":1e0}') == []


def test_differences_show_numbers_as_they_were_written() -> None:
    assert compared('{"a":10.00}', '{"a":1.1e1}') == [("/a", "10.00", "1.1e1", "value")]


@pytest.mark.parametrize("amount", ['"100"', '"100.000"', "100", "1e2", "100.0"])
def test_the_amount_compares_as_a_decimal_string_or_number(amount: str) -> None:
    got = REFUND.replace('"100.00"', amount)
    assert compared(REFUND, got, money=MONEY) == []
    assert [found.pointer for found in compared(REFUND, got)] == ["/amount"]


@pytest.mark.parametrize("amount", ['"100.01"', '"-100.00"', '"1e2"', '" 100.00"', "true", "null"])
def test_another_amount_differs(amount: str) -> None:
    found = compared(REFUND, REFUND.replace('"100.00"', amount), money=MONEY)
    assert found == [("/amount", '"100.00"', amount, found[0].reason)]


@pytest.mark.parametrize("got", ['"lots"', "null", "[]"])
def test_what_is_no_amount_on_either_side_is_no_equal_amount(got: str) -> None:
    expected = REFUND.replace('"100.00"', '"much"')
    found = compared(expected, REFUND.replace('"100.00"', got), money=MONEY)
    assert [difference.pointer for difference in found] == ["/amount"]


def test_a_number_of_ours_differs_from_one_that_was_read_by_value_only() -> None:
    assert differences(6, parse_json("7"))[0].reason == "value"
    assert differences(6, parse_json("6.0")) == []
    assert differences(1, True)[0].reason == "type"


def test_the_currency_must_be_equal_too() -> None:
    found = compared(REFUND, REFUND.replace("EUR", "USD"), money=MONEY)
    assert [difference.pointer for difference in found] == ["/currency"]


def test_only_significant_fields_are_compared_and_the_rest_is_listed() -> None:
    fields = ("/order", "/lines/0/sku")
    ours = '{"order":"A","note":"x","lines":[{"sku":"v","q":6},{"sku":"w"}]}'
    theirs = '{"order":"A","lines":[{"sku":"v","q":7}],"extra":1}'
    assert compared(ours, theirs, fields=fields) == []
    assert not_compared(parse_json(ours), fields) == ["/note", "/lines/0/q", "/lines/1"]
    assert not_compared(parse_json(ours), None) == []


def test_a_value_above_a_significant_field_is_listed_where_nothing_can_be_below_it() -> None:
    assert not_compared(parse_json('{"a":1,"b":{"c":2,"d":3}}'), ("/a/x", "/b/c")) == ["/a", "/b/d"]
    assert not_compared(parse_json('{"a":{"b":1}}'), ("/a", "/a/b")) == []


def test_each_significant_field_must_be_carried() -> None:
    assert compared('{"order":"A","n":1}', '{"n":1}', fields=("/order", "/n")) == [
        ("/order", '"A"', "missing", "missing")
    ]


def test_many_and_long_differences_are_cut_with_notice() -> None:
    ours, theirs = [1] * 5000, [2] * 5000
    assert len(differences(ours, theirs)) == MAX_DIFFERENCES == 100
    shown = differences("a" * 2000, None)[0].expected
    assert shown.endswith("… (1502 more characters)")


@given(values)
def test_a_value_is_equal_to_itself(value: object) -> None:
    assert differences(value, value) == []


@given(values, values)
def test_differences_are_mutual(left: object, right: object) -> None:
    pointers = [
        {found.pointer for found in differences(*pair)} for pair in ((left, right), (right, left))
    ]
    assert pointers[0] == pointers[1]


@given(st.dictionaries(st.text(max_size=3), values, min_size=1, max_size=4))
def test_a_member_taken_away_is_the_one_that_is_named(members: dict[str, object]) -> None:
    name = next(iter(members))
    rest = {other: members[other] for other in members if other != name}
    found = differences(members, rest)
    assert [(found[0].reason, found[0].got)] == [("missing", "missing")]
    assert len(found) == 1
