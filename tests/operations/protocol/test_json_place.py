"""Where something stands in a JSON text, whole or broken."""

import pytest

from operations.protocol.json_place import pointer_at, too_deep_at


@pytest.mark.parametrize(
    ("text", "max_depth", "offset"),
    [
        ("[[1]]", 2, None),
        ("[[1]]", 1, 1),
        ('{"a":{"b":1}}', 1, 5),
        ('{"a":[1]}', 1, 5),
        ("1", 0, None),
        ("[]", 0, 0),
        ("[[],[],{}]", 2, None),
        ('[{"a":1},{"a":[1]}]', 2, 14),
        ('["[[[[", "{{"]', 1, None),
        ('["\\"[[[["]', 1, None),
        ('["[[[[', 1, None),
        ("[1,2,3,:]", 1, None),
        ("[[[[][[", 4, 6),
    ],
)
def test_the_first_bracket_beyond_the_depth_is_found(
    text: str, max_depth: int, offset: int | None
) -> None:
    assert too_deep_at(text, max_depth) == offset


# The place is where the mark ^ stands.
@pytest.mark.parametrize(
    ("marked", "pointer"),
    [
        ("^1", ""),
        ("[^1]", "/0"),
        ("[1,^2]", "/1"),
        ("[1,2,^3]", "/2"),
        ('{^"a":1}', ""),
        ('{"a":^1}', "/a"),
        ('{"a":1,^"b":2}', ""),
        ('{"a":1,"b":^2}', "/b"),
        ('{"a":[1,{"b":^2}]}', "/a/1/b"),
        ('{"a":[1,2],"c":^3}', "/c"),
        ("[[1,2],^3]", "/1"),
        ('[{"a":1},^3]', "/1"),
        ('{"a":{"b":1},"c":^3}', "/c"),
        ('{"a/b":{"~":^1}}', "/a~1b/~0"),
        ('{"":^1}', "/"),
        ('{"a\\"b":^1}', '/a\\"b'),
        ('{"a,b":["x:y",^1]}', "/a,b/1"),
        ('{"a":1}^ 2', ""),
        ("{{^", "/"),
        ("]]^1", ""),
        (",^1", ""),
        (":^1", "/"),
        ('{"a":{^', "/a"),
        ('{"a":{"b":1,^', "/a"),
        ("[[[1],^2]]", "/0/1"),
        ('{"a":"unfinished^', "/a"),
    ],
)
def test_the_pointer_of_a_place_is_found(marked: str, pointer: str) -> None:
    assert pointer_at(marked.replace("^", ""), marked.index("^")) == pointer
