"""The words a person gives with a decision."""

import re

from operations.protocol.refusals import InvalidField
from operations.protocol.words import shortened

LONGEST = 4000
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def require_words(text: str, *, field: str = "reason", expected: str = "why you decide so") -> str:
    """The text without surrounding space, 1 to 4,000 characters. Raises InvalidField."""
    words = text.strip()
    if not words:
        raise InvalidField(field=field, expected=expected, got="nothing")
    return optional_words(words, field=field)


def optional_words(text: str, *, field: str) -> str:
    """The text without surrounding space, which may be empty. Raises InvalidField."""
    words = text.strip()
    if len(words) > LONGEST:
        got = f"{len(words)} characters"
        raise InvalidField(field=field, expected=f"at most {LONGEST} characters", got=got)
    if _UNSTORABLE.search(words):
        got = shortened(ascii(words), limit=80)
        raise InvalidField(field=field, expected="text without U+0000 and surrogates", got=got)
    return words
