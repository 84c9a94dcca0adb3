"""JSON values as the reader makes them, and other spellings of the same value."""

from typing import Any

from hypothesis import strategies as st

from operations.protocol.payloads import Number

integers = st.integers(-(10**30), 10**30).map(str)
decimals = st.decimals(
    min_value=-(10**12), max_value=10**12, places=4, allow_nan=False, allow_infinity=False
).map(lambda value: f"{value:f}")
exponents = st.builds("{}e{}".format, st.integers(-999, 999), st.integers(-300, 300))
numbers = st.one_of(integers, decimals, exponents).map(Number)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


def respelled(value: Any) -> Any:
    """The same value under rule P: members reversed, numbers written another way."""
    if isinstance(value, dict):
        return {name: respelled(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [respelled(item) for item in value]
    if isinstance(value, Number):
        return Number(_another_lexeme(value))
    return value


def _another_lexeme(value: Number) -> str:
    mantissa, _, exponent = value.text.lower().partition("e")
    point = "" if "." in mantissa else "."
    return f"{mantissa}{point}0E{exponent or '+0'}"
