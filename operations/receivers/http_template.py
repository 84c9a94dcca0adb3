"""Places in configured texts, such as {key}, and what is put there: it never leaves its place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from operations.protocol.json_values import JSON, MISSING, dumps, pointer_names, resolve
from operations.protocol.payloads import parse_json
from operations.protocol.refusals import InvalidPayload
from operations.receivers.addresses import as_segment

IDEMPOTENCY_KEY = "idempotency_key"
TEXT_PLACES = frozenset({"key", "environment", IDEMPOTENCY_KEY})
# What is known when a record is looked up.
LOOKUP_PLACES = frozenset({"key", "environment"})
CREDENTIAL = "credentials."
_PLACE = re.compile(r"\{([^{}]*)\}")
_PAYLOAD = re.compile(r"\{payload(?P<pointer>/[^{}]*?|)(?P<optional>\?)?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What one operation puts into the places. `payload_text` is its exact JSON."""

    texts: Mapping[str, str]
    payload_text: str


def places_in(text: str) -> set[str]:
    """The names of the places in a text."""
    return set(_PLACE.findall(text))


def fill_text(text: str, texts: Mapping[str, str]) -> str:
    """The text with each place filled. Raises KeyError for a place that nothing is known for."""
    return _PLACE.sub(lambda match: texts[match[1]], text)


def fill_url(template: str, texts: Mapping[str, str]) -> str:
    """The path and query with each place filled by one quoted segment."""
    return _PLACE.sub(lambda match: as_segment(texts[match[1]]), template)


def url_flaw(template: str, places: frozenset[str]) -> str:
    """What was expected of a path and query that is not usable; empty when it is.

    A place is a whole segment or a whole value of the query, so that no dots around it join.
    """
    if not re.fullmatch(r"/[!-~]*", template) or set(template) & set('#\\"<>'):
        return "a path below base_url that begins with / and has no fragment"
    path, _, query = template.partition("?")
    if any(unquote(segment) in (".", "..") for segment in path.split("/")) or "//" in path:
        return "a path whose segments are names"
    values = [part.partition("=")[2] for part in query.split("&")]
    whole = {piece[1:-1] for piece in (*path.split("/"), *values) if _PLACE.fullmatch(piece)}
    known = ", ".join(f"{{{name}}}" for name in sorted(places))
    if places_in(template) - whole or not whole <= places or _has_brace(template):
        return f"only {known}, each as a whole segment or a whole value of the query"
    return ""


def text_flaw(text: str, places: frozenset[str]) -> str:
    """What was expected of a text with places; empty when it is usable."""
    if places_in(text) <= places and not _has_brace(text):
        return ""
    return "no place but " + (", ".join(f"{{{name}}}" for name in sorted(places)) or "none")


def body_flaws(template: JSON) -> Iterator[tuple[str, str]]:
    """(expected, got) of each text in a body template that is not usable."""
    if isinstance(template, Mapping):
        for name, member in template.items():
            if "{" in name or "}" in name:
                yield "members' names without places", dumps(name)
            yield from body_flaws(member)
    elif isinstance(template, list):
        for item in template:
            yield from (
                (("no optional place in a list", dumps(item)),)
                if _is_optional(item)
                else body_flaws(item)
            )
    elif isinstance(template, str) and not _is_usable(template):
        expected = "{payload}, {payload/member} or {payload/member?} as a whole text, or a text"
        known = ", ".join(f"{{{name}}}" for name in sorted(TEXT_PLACES))
        yield f"{expected} with {known}", dumps(template)


def body_places(template: JSON) -> set[str]:
    """The names of all places in a body template."""
    if isinstance(template, Mapping):
        return set().union(*map(body_places, template.values()))
    if isinstance(template, list):
        return set().union(*map(body_places, template))
    return places_in(template) if isinstance(template, str) else set()


def fill_body(template: JSON, filling: Filling) -> str:
    """The body as JSON text: numbers keep their lexemes, text is quoted where it stands.

    Raises InvalidPayload with the pointer of a member that is not there and not optional.
    """
    payload = parse_json(filling.payload_text)
    return "".join(_pieces(template, filling, payload))


def fill_value(template: JSON, texts: Mapping[str, str]) -> JSON:
    """A JSON value with the places in its texts filled."""
    if isinstance(template, Mapping):
        return {name: fill_value(member, texts) for name, member in template.items()}
    if isinstance(template, list):
        return [fill_value(item, texts) for item in template]
    return fill_text(template, texts) if isinstance(template, str) else template


def _pieces(template: JSON, filling: Filling, payload: JSON) -> Iterator[str]:
    if isinstance(template, Mapping):
        separator = "{"
        members = {n: m for n, m in template.items() if not _is_left_out(m, payload)}
        for name, member in members.items():
            yield f"{separator}{dumps(name)}:"
            yield from _pieces(member, filling, payload)
            separator = ","
        yield "}" if members else "{}"
    elif isinstance(template, list):
        separator = "["
        for item in template:
            yield separator
            yield from _pieces(item, filling, payload)
            separator = ","
        yield "]" if template else "[]"
    elif isinstance(template, str):
        yield _filled(template, filling, payload)
    else:
        yield dumps(template)


def _filled(text: str, filling: Filling, payload: JSON) -> str:
    place = _PAYLOAD.fullmatch(text)
    if place is None:
        return dumps(fill_text(text, filling.texts))
    if not place["pointer"]:
        return filling.payload_text
    value = resolve(payload, place["pointer"])
    if value is MISSING:
        expected = "a value, which the receiver's request carries"
        raise InvalidPayload(field=place["pointer"], expected=expected, got="nothing")
    return dumps(value)


def _is_left_out(template: JSON, payload: JSON) -> bool:
    place = _PAYLOAD.fullmatch(template) if isinstance(template, str) else None
    if place is None or not place["optional"]:
        return False
    return resolve(payload, place["pointer"]) is MISSING


def _is_optional(template: JSON) -> bool:
    place = _PAYLOAD.fullmatch(template) if isinstance(template, str) else None
    return bool(place and place["optional"])


def _is_usable(text: str) -> bool:
    place = _PAYLOAD.fullmatch(text)
    if place is None:
        return not text_flaw(text, TEXT_PLACES)
    try:
        names = pointer_names(place["pointer"])
    except ValueError:
        return False
    return bool(names) or not place["optional"]


def _has_brace(text: str) -> bool:
    """Whether a brace is left that belongs to no place; it is more likely a slip than meant."""
    return bool(set(_PLACE.sub("", text)) & {"{", "}"})
