"""What a style sheet may not contain: each rule takes a text and answers the offending pieces."""

import re
from collections.abc import Callable

Rule = Callable[[str], list[str]]

LAYERS = ("reset", "tokens", "base", "layout", "components", "states", "utilities")


def without_comments(text: str) -> str:
    """The text with its comments taken out."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def raw_colour(text: str) -> list[str]:
    """A colour that is not a role."""
    return re.findall(
        r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|lab|hwb)\([^)]*", without_comments(text)
    )


def raw_length(text: str) -> list[str]:
    """A length outside the scale; the conditions of media queries can't read the scale."""
    plain = re.sub(r"@media[^{]*", "", without_comments(text))
    return re.findall(r"(?<![\w.-])\d*\.?\d+(?:px|rem)\b", plain)


def palette_name(text: str) -> list[str]:
    """A colour named for what it is instead of what it is for."""
    names = "paper|sheet|well|slate|iris|amber|green|teal|violet|blue|plum|red|white|night"
    return re.findall(rf"var\(--(?:{names})\b[^)]*", without_comments(text))


def shout(text: str) -> list[str]:
    """Priority by force."""
    return re.findall(r"!important", without_comments(text))


def id_selector(text: str) -> list[str]:
    """A selector that only one element can have."""
    return re.findall(
        r"(?:^|[\s,>+~])#[a-z][\w-]*(?=[^;{}]*\{)", without_comments(text), re.MULTILINE
    )


def outside_a_layer(text: str) -> list[str]:
    """A rule that stands beside the layers and would win over all of them."""
    depth, found, start = 0, [], 0
    plain = without_comments(text)
    for index, letter in enumerate(plain):
        if letter == "{":
            head = plain[start:index].strip()
            if depth == 0 and not re.fullmatch(r"@layer [a-z]+", head):
                found.append(head)
            depth += 1
        elif letter in "};":
            depth -= letter == "}"
            start = index + 1
            if depth < 0:
                return [*found, "a brace too many"]
    return found if depth == 0 else [*found, "a brace too few"]


# Each rule with a text that keeps it and a text that breaks it.
RULES: dict[Rule, tuple[str, str]] = {
    raw_colour: ("a { color: var(--ink); }", "a { color: #fff; }"),
    raw_length: ("@media (max-width: 48rem) { a { gap: 0; } }", "a { gap: .5rem; }"),
    palette_name: ("a { color: var(--danger); }", "a { color: var(--red); }"),
    shout: ("a { color: var(--ink); }", "a { color: var(--ink) !important; }"),
    id_selector: (".a { color: var(--ink); }", "p #main { color: var(--ink); }"),
    outside_a_layer: (
        "@layer base { a { gap: 0; } }",
        "@layer base { a { gap: 0; } } p { gap: 0; }",
    ),
}
