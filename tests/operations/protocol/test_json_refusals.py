"""What the strict reader expected instead, and how much of a text it shows."""

import pytest

from operations.protocol.json_reader import MAX_BYTES, MAX_DEPTH, MAX_DIGITS
from operations.protocol.payloads import MalformedJSON, TooLarge, parse_json

NO_TRAILING_COMMA = "no comma before the closing bracket"  # as Python 3.13 and later tell it
ODD_TEXT = "text of Unicode characters without U+0000"


def members_of(raw: bytes | str, **limits: int) -> dict[str, str]:
    with pytest.raises(MalformedJSON) as caught:
        parse_json(raw, **limits)
    return caught.value.members


def test_the_limits_are_those_of_rule_p() -> None:
    assert (MAX_BYTES, MAX_DEPTH, MAX_DIGITS) == (1024 * 1024, 64, 100)
    at_most = '"' + "x" * (MAX_BYTES - 2) + '"'
    assert len(parse_json(at_most)) == MAX_BYTES - 2
    with pytest.raises(TooLarge):
        parse_json(at_most + " ")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"NaN", "a finite number"),
        (b"1E400", "0 or a size between 1e-308 and 1e308"),
        (b'{"a":1,"a":1}', "each member once"),
        (b'"\\u0000"', ODD_TEXT),
        (b'"\\uDabc"', ODD_TEXT),
        (b"1" * 101, "at most 100 digits"),
        (b'"\xff"', "UTF-8"),
        (b"\xef\xbb\xbf1", "UTF-8 without a byte order mark"),
        ('"\ud800"', "Unicode text"),
        ("[" * 65, "at most 64 levels"),
        (b"", "a value"),
        (b"[1 2]", "a comma or the closing bracket"),
        (b'{"a" 1}', "a colon after the member's name"),
        (b"{a:1}", "a member's name in double quotes"),
        (b"{} {}", "the end of the text"),
        (b'"a\nb"', "control characters as escapes"),
        (b'"abc', "a closing quotation mark"),
        (b'"\\x"', "JSON syntax (Invalid \\escape)"),
    ],
)
def test_each_refusal_says_what_was_expected(raw: bytes | str, expected: str) -> None:
    assert members_of(raw)["expected"].rstrip(": ") == expected


@pytest.mark.parametrize(
    ("raw", "in_python_3_12"),
    [(b"[1,]", "a value"), (b'{"a":1,}', "a member's name in double quotes")],
)
def test_a_trailing_comma_is_told_as_such(raw: bytes, in_python_3_12: str) -> None:
    assert members_of(raw)["expected"] in (NO_TRAILING_COMMA, in_python_3_12)


def test_the_depth_that_is_allowed_can_be_less() -> None:
    assert parse_json("[[1]]", max_depth=2) == [[1]]
    members = members_of("[[1]]", max_depth=1)
    assert (members["expected"], members["got"]) == ("at most 1 levels", "level 2")
    assert members["pointer"] == "/0"


@pytest.mark.parametrize(
    ("raw", "pointer", "got"),
    [
        ('{"a\\u0000":1,"b":"\\u0000"}', "/a\\x00", "U+0000"),
        ('{"a":{"\\ud800":1}}', "/a/\\ud800", "U+D800"),
        ('[["x"],"\\udfff"]', "/1", "U+DFFF"),
        ('{"b":NaN,"a":"\\u0000"}', "/b", "NaN"),
        ('{"a":{"b":1,"c":2,"b":3},"d":NaN}', "/a/b", "2 of that name"),
        ('{"a":1,"b":{"c":1,"c":1,"c":1}}', "/b/c", "3 of that name"),
        ('{"":1,"":2}', "/", "2 of that name"),
        ('{"a":1,"b":2,"b":3}', "/b", "2 of that name"),
    ],
)
def test_the_first_flaw_in_reading_order_is_told(raw: str, pointer: str, got: str) -> None:
    members = members_of(raw)
    assert (members["pointer"], members["got"]) == (pointer, got)


def test_a_pointer_can_be_stored_whatever_the_name_in_it() -> None:
    assert members_of('{"a\x00":' + "[" * 64)["pointer"] == "/a\ufffd" + "/0" * 63


def test_what_is_shown_of_a_text_is_short() -> None:
    assert members_of("[1 " + "y" * 30)["got"] == f'"{"y" * 20}" at line 1, column 4'
    lexeme = "1." + "0" * 40 + "e400"
    assert members_of(lexeme)["got"] == f"1.{'0' * 38}… (6 more characters)"
    name = "n" * 400
    assert members_of(f'{{"{name}":NaN}}')["pointer"] == f"/{'n' * 299}… (101 more characters)"


def test_digits_are_counted_without_sign_point_and_exponent() -> None:
    assert parse_json("-0." + "1" * 99) is not None
    assert members_of("-0." + "1" * 100)["got"] == "101 digits"
    assert parse_json("1e" + "0" * 99 + "1") == 10
    assert members_of("1e-" + "0" * 99 + "1")["got"] == "101 digits"


@pytest.mark.parametrize("lexeme", ["0.0e408", "-0e-408", "0E308"])
def test_a_zero_is_zero_whatever_its_exponent(lexeme: str) -> None:
    assert parse_json(lexeme) == 0
    beyond = lexeme.replace("408", "409")
    assert beyond == lexeme or members_of(beyond)["reason"] == "number out of range"


def test_a_receivers_odd_names_are_kept_when_asked_for() -> None:
    assert parse_json('{"\\ud800":"\\u0000"}', keeps_any_text=True) == {"\ud800": "\x00"}


def test_odd_text_that_is_kept_is_not_told_beside_another_flaw() -> None:
    with pytest.raises(MalformedJSON) as caught:
        parse_json('{"a\\u0000":"\\u0000","b":NaN}', keeps_any_text=True)
    assert (caught.value.members["pointer"], caught.value.members["got"]) == ("/b", "NaN")
