import json
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.payloads import (
    MalformedJSON,
    Number,
    TooLarge,
    differences,
    dumps,
    parse_json,
)

from .json_strategies import values


def refusal_of(raw: bytes | str, **limits: int) -> dict[str, str]:
    with pytest.raises(MalformedJSON) as caught:
        parse_json(raw, **limits)
    assert set(caught.value.members) == {"reason", "pointer", "expected", "got"}
    assert caught.value.status == 400
    return caught.value.members


@pytest.mark.parametrize(
    ("raw", "reason", "pointer", "got"),
    [
        (b'{"amount":NaN}', "not a number", "/amount", "NaN"),
        (b'{"amount":-Infinity}', "not a number", "/amount", "-Infinity"),
        (b'[{"a":[1,Infinity]}]', "not a number", "/0/a/1", "Infinity"),
        (b'{"amount":1e400}', "number out of range", "/amount", "1e400"),
        (b"[1e-309]", "number out of range", "/0", "1e-309"),
        (b"1e309", "number out of range", "", "1e309"),
        (b'{"a":1,"b":2,"a":1}', "duplicate member", "/a", "2 of that name"),
        (b'{"x":[{"b/c":1,"b/c":1}]}', "duplicate member", "/x/0/b~1c", "2 of that name"),
        (b'{"note":"a\\u0000b"}', "U+0000", "/note", "U+0000"),
        (b'{"note":["\\ud800"]}', "lone surrogate", "/note/0", "U+D800"),
        (b'{"note":"\\udc00\\ud800"}', "lone surrogate", "/note", "U+DC00"),
        (b'{"a\\u0000":1}', "U+0000", "/a\\x00", "U+0000"),
        (b"[" + b"1" * 101 + b"]", "number too long", "/0", "101 digits"),
        (b"0." + b"1" * 100, "number too long", "", "101 digits"),
        (b"1e" + b"0" * 200 + b"1", "number too long", "", "201 digits"),
        (b'{"a":"\xff"}', "encoding", "", "byte 0xff at offset 6"),
        (b"\xef\xbb\xbf{}", "byte order mark", "", "U+FEFF at the start"),
        ('["\ud800"]', "lone surrogate", "", "a lone surrogate as character 2"),
        (b"", "syntax", "", "the end of the text at line 1, column 1"),
        (b'{"a":{"b":tru}}', "syntax", "/a/b", '"tru}}" at line 1, column 11'),
        (b"[1,\n2", "syntax", "/1", "the end of the text at line 2, column 2"),
        (b"{} {}", "syntax", "", '"{}" at line 1, column 4'),
        (b"[01]", "syntax", "/0", '"1]" at line 1, column 3'),
        (b"{'a':1}", "syntax", "", "\"'a':1}\" at line 1, column 2"),
        (b'"a\nb"', "syntax", "", '"\\nb\\"" at line 1, column 3'),
    ],
)
def test_what_is_refused_names_place_expected_and_got(
    raw: bytes | str, reason: str, pointer: str, got: str
) -> None:
    members = refusal_of(raw)
    assert (members["reason"], members["pointer"], members["got"]) == (reason, pointer, got)
    assert members["expected"]


@pytest.mark.parametrize(
    "raw",
    [
        b"1e308",
        b"-1e308",
        b"1e-308",
        b"0e-308",
        b"1" * 100,
        b'"\\ud83d\\ude00"',
        b'"\\\\u0000"',
        b" \t\r\n0 ",
    ],
)
def test_the_last_acceptable_value_is_accepted(raw: bytes) -> None:
    assert parse_json(raw) == json.loads(raw, parse_float=Decimal)


def test_just_beyond_the_range_is_refused() -> None:
    assert refusal_of("1." + "0" * 98 + "1e308")["reason"] == "number out of range"
    assert refusal_of("9." + "9" * 99 + "e-309")["reason"] == "number out of range"


def test_numbers_keep_their_lexeme_and_are_never_floats() -> None:
    value = parse_json(b'{"order_ref":9007199254740993,"n":1.0,"e":1E2,"z":-0}')
    assert [number.text for number in value.values()] == ["9007199254740993", "1.0", "1E2", "-0"]
    assert {type(number) for number in value.values()} == {Number}


def test_true_is_not_a_number() -> None:
    assert parse_json(b"[true,false,null]") == [True, False, None]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_64_levels_are_accepted_and_65_are_not(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    parse_json(opening * 64 + "1" + closing * 64)
    members = refusal_of(opening * 65 + "1" + closing * 65)
    assert (members["reason"], members["got"]) == ("depth", "level 65")
    assert members["pointer"] == ("/0" if opening == "[" else "/a") * 64


def test_brackets_in_text_and_in_rows_are_not_depth() -> None:
    assert parse_json('["' + "[" * 200 + '"]') == ["[" * 200]
    assert parse_json("[" + ",".join(["[]"] * 200) + "]") == [[]] * 200


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        '"' + '\\"' * 50_000,
        '{"' + "[" * 100_000,
        "]" * 100_000,
        "[" + '"a",' * 50_000,
    ],
)
def test_hostile_text_is_an_answer_and_not_a_crash(raw: str) -> None:
    started = time.process_time()
    refusal_of(raw)
    assert time.process_time() - started < 1


def test_the_size_is_counted_in_bytes() -> None:
    assert parse_json('"é"', max_bytes=4) == "é"
    with pytest.raises(TooLarge) as caught:
        parse_json('"é"', max_bytes=3)
    assert caught.value.members == {"expected": 3, "got": 4}
    assert caught.value.status == 413


def test_a_receivers_odd_text_is_kept_escaped_when_asked_for() -> None:
    value = parse_json(b'{"note":"a\\u0000b\\ud800"}', keeps_any_text=True)
    assert value == {"note": "a\x00b\ud800"}
    assert dumps(value) == '{"note":"a\\u0000b\\ud800"}'
    with pytest.raises(MalformedJSON):
        parse_json(b'{"a":NaN}', keeps_any_text=True)


def read_or_refused(raw: bytes | str) -> object:
    try:
        return parse_json(raw)
    except MalformedJSON as refusal:
        return refusal


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40)))
def test_any_input_is_read_or_refused(raw: bytes | str) -> None:
    result = read_or_refused(raw)
    assert isinstance(result, MalformedJSON) or result == json.loads(raw, parse_float=Decimal)


@given(values)
def test_what_is_written_is_read_back_exactly(value: object) -> None:
    text = dumps(value)
    assert dumps(parse_json(text)) == text
    assert parse_json(text.encode()) == value


@given(values, st.integers(0, 200), st.sampled_from(['"', "{", "]", ",", "NaN", "\\", "1e999"]))
def test_a_damaged_text_is_read_or_refused(value: object, place: int, junk: str) -> None:
    text = dumps(value)
    place %= len(text) + 1
    result = read_or_refused(text[:place] + junk + text[place:])
    assert isinstance(result, MalformedJSON) or differences(value, result)
