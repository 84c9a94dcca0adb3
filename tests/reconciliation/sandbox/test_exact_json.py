"""Reading and writing JSON without losing anything of a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciliation.sandbox.exact_json import Json, NotExactJson, Number, read, write

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBER = r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?"
NUMBERS = st.builds(
    Number,
    st.one_of(
        st.integers().map(str),
        st.from_regex(NUMBER, fullmatch=True),
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), TEXT, NUMBERS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXT, inner)),
    max_leaves=20,
)


@given(VALUES)
def test_writing_and_reading_changes_nothing(value: Json) -> None:
    text = write(value)

    assert read(text.encode()) == value
    assert write(read(text.encode())) == text


@pytest.mark.parametrize(
    ("one", "other"), [("10", "10.0"), ("10", "1e1"), ("0", "-0"), ("1E-2", "0.0100")]
)
def test_numbers_are_equal_by_exact_value(one: str, other: str) -> None:
    assert read(one.encode()) == read(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "true"),
        ("0", "false"),
        ("1", '"1"'),
        ("null", "false"),
        ("9007199254740993", "9007199254740992"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("[1,2]", "[2,1]"),
        ('{"a":null}', "{}"),
        ('"\\u00e9"', '"e\\u0301"'),
    ],
)
def test_different_values_differ(one: str, other: str) -> None:
    assert read(one.encode()) != read(other.encode())


@pytest.mark.parametrize("text", ["1e308", "-9.9e-308", "9" * 100, "[" * 66 + "]" * 66, "0e999999"])
def test_values_at_the_limits_are_read(text: str) -> None:
    assert write(read(text.encode())) == text


@pytest.mark.parametrize(
    "text",
    ["1e309", "1e-309", "9" * 101, "[" * 67 + "]" * 67, "1e99999999999999999999", "Infinity", "01"],
)
def test_values_beyond_the_limits_are_refused(text: str) -> None:
    with pytest.raises(NotExactJson, match="expected"):
        read(text.encode())
