"""What is typed into the search box, read."""

import pytest

from operations.queries.search_text import LONGEST, parse_search


@pytest.mark.parametrize(
    ("typed", "qualifiers", "payload", "words"),
    [
        ("", (), (), ()),
        ("rye  malt", (), (), ("rye", "malt")),
        ('"rye malt" x', (), (), ("rye malt", "x")),
        ("state:ready", (("state", "ready"),), (), ()),
        ("env:staging a", (("environment", "staging"),), (), ("a",)),
        ('key:"order 1"', (("key", "order 1"),), (), ()),
        ("payload.lines.0.sku:rye", (), ((("lines", "0", "sku"), "rye"),), ()),
        ("urn:order:17", (), (), ("urn:order:17",)),
        ("payload.:x", (), (), ("payload.:x",)),
        ("state:", (), (), ("state:",)),
        ('""', (), (), ()),
        ("a\x00b", (), (), ("a\\x00b",)),
    ],
)
def test_a_box_is_read_as_qualifiers_members_and_words(typed, qualifiers, payload, words) -> None:
    found = parse_search(typed)
    assert (found.qualifiers, found.payload, found.words) == (qualifiers, payload, words)


def test_a_very_long_text_is_read_in_part() -> None:
    assert len("".join(parse_search("x" * 5000).words)) == LONGEST
