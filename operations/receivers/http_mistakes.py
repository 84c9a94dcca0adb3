"""What in the description of a JSON API can not work, each by the name of its key."""

import re
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from operations.protocol.json_values import JSON, MISSING, pointer_names
from operations.receivers.base import ReceiverConfig
from operations.receivers.http_shape import (
    DirectLookup,
    HttpShape,
    ListLookup,
    PagesBy,
    PagesShape,
    RecordShape,
)
from operations.receivers.http_template import (
    CREDENTIAL,
    IDEMPOTENCY_KEY,
    LOOKUP_PLACES,
    TEXT_PLACES,
    body_flaws,
    body_places,
    places_in,
    text_flaw,
    url_flaw,
)

METHODS = ("POST", "PUT", "PATCH")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_LINE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
# What the call itself says of its connection and its length.
_OWN = {
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
# Headers that are there to carry a secret, which has no place in a file.
_SECRET = re.compile(r"(?i)(?:proxy-|x-)?auth(?:orization)?|cookie|.*(?:api-?key|token|secret).*")
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class Mistake(NamedTuple):
    """A setting that does not hold: its name, what was expected, what stands there."""

    field: str
    expected: str
    got: str


def shape_mistakes(shape: HttpShape) -> Iterator[Mistake]:
    """What contradicts itself in the description alone."""
    yield from _call_mistakes(shape)
    yield from _record_mistakes(shape.record)
    yield from _pointers({"answer.record": shape.answer.record, "error_code": shape.error_code})
    yield from _member_mistakes("answer.members", shape.answer.members)
    if isinstance(shape.lookup, DirectLookup):
        yield from _direct_mistakes(shape.lookup)
    elif shape.lookup is not None:
        yield from _list_mistakes(shape.lookup)


def config_mistakes(config: ReceiverConfig, shape: HttpShape) -> Iterator[Mistake]:
    """What the receiver's profile and place claim, and the description does not keep."""
    profile = config.profile
    if profile.has_lookup is not (shape.lookup is not None):
        has, lacks = "true, as http.lookup is there", "false, as there is no http.lookup"
        expected = lacks if shape.lookup is None else has
        yield Mistake("has_lookup", expected, str(profile.has_lookup).lower())
    if profile.deduplicates and not _sends_a_key(shape):
        expected = "http.idempotency_header, or a place for {key} or {idempotency_key}"
        yield Mistake("deduplicates", expected, "a call without any key")
    significant = profile.significant_fields
    mapped = set(shape.record.fields)
    if shape.record.payload is None and mapped != set(significant or ()):
        expected = f"{_listed(mapped)}, which is all of a payload that http.receipt.fields maps"
        yield Mistake("significant_fields", expected, _listed(significant or ()))
    if shape.error_code is None and any(rule.code for rule in profile.definite_refusals):
        expected = "statuses alone, as there is no http.error_code"
        yield Mistake("definite_refusals", expected, "a code")
    words = shape.record.environments
    if words and config.environment not in words:
        expected = f"the receiver's word for {config.environment} too"
        yield Mistake("http.receipt.environments", expected, _listed(words))
    yield from _credential_mistakes(config, shape)


def _call_mistakes(shape: HttpShape) -> Iterator[Mistake]:
    call = shape.call
    if call.method not in METHODS:
        yield Mistake("method", " or ".join(METHODS), call.method)
    if expected := url_flaw(call.url, TEXT_PLACES):
        yield Mistake("url", expected, call.url)
    for expected, got in body_flaws(call.body):
        yield Mistake("body", expected, got)
    if call.idempotency_header and not _is_free(call.idempotency_header):
        expected = "the name of a header that is free"
        yield Mistake("idempotency_header", expected, call.idempotency_header)
    names = [call.idempotency_header.lower()]
    for name, text in call.headers.items():
        if not _is_free(name) or name.lower() in names:
            yield Mistake(f"headers.{name}", "the name of a header that is free", name)
        names.append(name.lower())
        yield from _header_mistakes(name, text)


def _header_mistakes(name: str, text: str) -> Iterator[Mistake]:
    places = places_in(text)
    secrets = {place for place in places if place.startswith(CREDENTIAL)}
    if not _LINE.fullmatch(text):
        yield Mistake(f"headers.{name}", "printable ASCII without blanks around it", "another text")
    elif secrets and (flaw := text_flaw(text, frozenset({*secrets, "environment"}))):
        yield Mistake(f"headers.{name}", flaw, text)
    elif not secrets and _SECRET.fullmatch(name):
        expected = "{credentials.NAME}, since a secret stands in the environment alone"
        yield Mistake(f"headers.{name}", expected, "another text")
    elif not secrets and (flaw := text_flaw(text, TEXT_PLACES)):
        yield Mistake(f"headers.{name}", f"{flaw}, or {{credentials.NAME}}", text)


def _record_mistakes(record: RecordShape) -> Iterator[Mistake]:
    yield from _pointers(
        {
            "receipt.key": record.key,
            "receipt.effect_id": record.effect_id,
            "receipt.payload": record.payload,
            "receipt.status": record.status,
            "receipt.environment": record.environment,
            "receipt.occurred_at": record.occurred_at,
        }
    )
    if (record.payload is None) is not bool(record.fields):
        yield Mistake(
            "receipt.payload", "a pointer, or else a table receipt.fields", "both or none"
        )
    yield from _fields_mistakes(record.fields)
    if record.environments and record.environment is None:
        yield Mistake("receipt.environment", "a pointer, as environments names words", "nothing")
    for name, given in (
        ("status", [word for word, _ in record.statuses]),
        ("environments", list(record.environments.values())),
    ):
        words = [repr(word) for word in given]
        if len(set(words)) < len(words):
            yield Mistake(f"receipt.{name}", "one meaning for each word", ", ".join(words))


def _fields_mistakes(fields: Mapping[str, str]) -> Iterator[Mistake]:
    for pointer, place in fields.items():
        yield from _pointers({f"receipt.fields.{pointer}": place})
        if not _is_member(pointer):
            expected = "a pointer to a member of the payload, such as /amount"
            yield Mistake("receipt.fields", expected, pointer)
    for one, other in permutations(fields, 2):
        if f"{one}/".startswith(f"{other}/"):
            yield Mistake("receipt.fields", f"a place apart from {other}", one)


def _direct_mistakes(lookup: DirectLookup) -> Iterator[Mistake]:
    flaw = url_flaw(lookup.url, LOOKUP_PLACES)
    if flaw or "key" not in places_in(lookup.url):
        yield Mistake("lookup.get", flaw or "a place for {key}", lookup.url)
    yield from _pointers({"lookup.record": lookup.answer.record})
    yield from _member_mistakes("lookup.members", lookup.answer.members)
    no = lookup.not_found
    yield from _pointers({f"lookup.not_found.members.{each}": each for each in no.members})
    if not 200 <= no.status <= 499 or no.status in (401, 403, 408, 429):
        yield Mistake("lookup.not_found.status", "a status that says so, as 404", str(no.status))
    if (no.body is MISSING) is not bool(no.members):
        # A status alone may be said by anything that stands on the way.
        expected = "either the whole body or members of it"
        yield Mistake("lookup.not_found", expected, "both" if no.members else "neither")
    for text in _texts(no.body if no.body is not MISSING else list(no.members.values())):
        if flaw := text_flaw(text, LOOKUP_PLACES):
            yield Mistake("lookup.not_found", flaw, text)


def _list_mistakes(lookup: ListLookup) -> Iterator[Mistake]:
    if flaw := url_flaw(lookup.url, LOOKUP_PLACES):
        yield Mistake("lookup.list", flaw, lookup.url)
    pages = lookup.pages
    yield from _pointers(
        {
            "lookup.items": lookup.items,
            "lookup.pages.next": pages.next,
            "lookup.pages.last_item": pages.last_item,
            "lookup.pages.has_more": pages.has_more,
            "lookup.pages.total": pages.total,
            "lookup.pages.total_pages": pages.total_pages,
        }
    )
    yield from _member_mistakes("lookup.members", lookup.members)
    yield from _pages_mistakes(pages, lookup.url)


def _pages_mistakes(pages: PagesShape, url: str) -> Iterator[Mistake]:
    has_parameter = pages.by in (PagesBy.NUMBER, PagesBy.CURSOR)
    asked = {name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
    if has_parameter is not bool(re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", pages.parameter)):
        expected = "a query parameter" if has_parameter else "none with these pages"
        yield Mistake("lookup.pages.parameter", expected, pages.parameter or "nothing")
    if pages.parameter in asked:
        yield Mistake("lookup.pages.parameter", "one that list does not set", pages.parameter)
    told = [place for place in (pages.next, pages.last_item) if place is not None]
    needs = pages.by in (PagesBy.CURSOR, PagesBy.LINK)
    if len(told) != needs or (pages.by is PagesBy.LINK and pages.next is None):
        expected = "where the next cursor or link stands" if needs else "nothing with these pages"
        yield Mistake("lookup.pages.next", expected, ", ".join(told) or "nothing")
    if pages.last_item is not None and pages.has_more is None:
        yield Mistake("lookup.pages.has_more", "a pointer, as last_item has no end", "nothing")


def _credential_mistakes(config: ReceiverConfig, shape: HttpShape) -> Iterator[Mistake]:
    places = set().union(*map(places_in, shape.call.headers.values()))
    used = {place.removeprefix(CREDENTIAL) for place in places if place.startswith(CREDENTIAL)}
    if used != set(config.credentials):
        expected = f"{_listed(used)}, which the headers use"
        yield Mistake("credentials", expected, _listed(config.credentials))
    for name, secret in config.credentials.items():
        if not _LINE.fullmatch(secret):
            expected = "printable ASCII without blanks around it"
            yield Mistake(f"credentials.{name}", expected, "another text")
    parts = urlsplit(config.base_url)
    if used and parts.scheme != "https" and parts.hostname not in _THIS_MACHINE:
        expected = "https, since credentials go there (http only to this machine)"
        yield Mistake("base_url", expected, config.base_url)


def _sends_a_key(shape: HttpShape) -> bool:
    call = shape.call
    places = places_in(call.url).union(
        body_places(call.body), *map(places_in, call.headers.values())
    )
    return bool(call.idempotency_header or places & {"key", IDEMPOTENCY_KEY})


def _pointers(named: dict[str, str | None]) -> Iterator[Mistake]:
    for name, pointer in named.items():
        try:
            pointer_names(pointer or "")
        except ValueError:
            yield Mistake(name, "a JSON pointer such as /data/id", repr(pointer))


def _member_mistakes(name: str, members: Mapping[str, JSON]) -> Iterator[Mistake]:
    yield from _pointers({f"{name}.{each}": each for each in members})
    for each, value in members.items():
        if isinstance(value, str) and text_flaw(value, frozenset()):
            yield Mistake(f"{name}.{each}", "a text without places", value)


def _is_member(pointer: str) -> bool:
    try:
        names = pointer_names(pointer)
    except ValueError:
        return False
    # A number would be a place in an array, and the payload's is known as a whole alone.
    return bool(names) and not any(name.isdigit() for name in names)


def _is_free(name: str) -> bool:
    return bool(_TOKEN.fullmatch(name)) and name.lower() not in _OWN


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _listed(names: object) -> str:
    return ", ".join(sorted(map(str, names))) or "nothing"  # type: ignore[call-overload]
