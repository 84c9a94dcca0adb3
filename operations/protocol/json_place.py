"""Where in a JSON text something stands; used to say it in a refusal, so never to read values."""

import re
from functools import reduce

from operations.protocol.json_values import child_pointer

# Possessive and with an optional closing quote, so that no text makes the search go back.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{},:]', re.DOTALL)


def too_deep_at(text: str, max_depth: int) -> int | None:
    """The offset of the first bracket that opens a level beyond `max_depth`."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in ("[", "{"):
            depth += 1
            if depth > max_depth:
                return token.start()
        elif token[0] in ("]", "}"):
            depth -= 1
    return None


def pointer_at(text: str, offset: int) -> str:
    """The RFC 6901 pointer of the value that stands at `offset` (or would); "" is the whole."""
    path: list[str | int | None] = []
    last_string = ""
    for token in _TOKEN.finditer(text, 0, offset):
        if token[0].startswith('"'):
            last_string = token[0][1:].removesuffix('"')
        else:
            _follow(path, token[0], last_string)
    if path and path[-1] is None:
        del path[-1]  # between two members: the object is meant
    return reduce(child_pointer, ("" if name is None else name for name in path), "")


def _follow(path: list[str | int | None], mark: str, last_string: str) -> None:
    """Move `path` over one mark of punctuation; None stands for a member not yet named."""
    match mark:
        case "[":
            path.append(0)
        case "{":
            path.append(None)
        case "]" | "}":
            del path[-1:]
        case ":":
            path[-1:] = [last_string]
        case "," if path:
            path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None
