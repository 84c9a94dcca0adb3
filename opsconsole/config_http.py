"""Reads `[receivers.NAME.http]`: how a JSON API is called, and how its answers are read."""

from typing import Any

from operations.protocol.json_values import JSON, MISSING, Missing
from operations.protocol.payloads import MalformedJSON, TooLarge, parse_json
from operations.protocol.states import ReceiptStatus
from operations.receivers.http_mistakes import shape_mistakes
from operations.receivers.http_shape import (
    AnswerShape,
    CallShape,
    DirectLookup,
    HttpShape,
    ListLookup,
    NotFoundShape,
    PagesBy,
    PagesShape,
    RecordShape,
)
from opsconsole.toml_section import Section, mistake

SCALAR = "text, a whole number, true or false"


def read_http(section: Section) -> HttpShape:
    """The description. Raises ImproperlyConfigured with a sentence that names the key."""
    shape = HttpShape(
        call=_call(section),
        record=_record(_inner(section, "receipt")),
        answer=_answer(_inner(section, "answer", {})),
        error_code=section.text("error_code", None),
        lookup=_lookup(section),
    )
    for field, expected, got in shape_mistakes(shape):
        raise mistake(section.key(field), expected, got)
    return shape


def _call(section: Section) -> CallShape:
    headers = section.table("headers", {})
    for name, value in headers.items():
        if not isinstance(value, str):
            expected = "text; a secret is {credentials.NAME}, with its place in the environment"
            raise mistake(section.key(f"headers.{name}"), expected, "something else")
    return CallShape(
        method=section.text("method", "POST"),
        url=section.text("url"),
        headers=headers,
        body=_json(section, "body"),
        idempotency_header=section.text("idempotency_header", ""),
    )


def _record(section: Section) -> RecordShape:
    status: str | None = section.text("status", None)
    if status is None and section.text("record_means", None) != ReceiptStatus.CONFIRMED:
        expected = 'a pointer, or record_means = "confirmed" where each record is one'
        raise mistake(section.key("status"), expected, "nothing")
    fields = section.table("fields", {})
    for pointer, place in fields.items():
        if not isinstance(place, str):
            raise mistake(section.key(f"fields.{pointer}"), "a JSON pointer", place)
    record = RecordShape(
        key=section.text("key"),
        effect_id=section.text("effect_id"),
        payload=section.text("payload", None),
        fields=fields,
        status=status,
        statuses=_statuses(section) if status is not None else (),
        environment=section.text("environment", None),
        environments=_members(section, "environments"),
        occurred_at=section.text("occurred_at", None),
    )
    section.done()
    return record


def _statuses(section: Section) -> tuple[tuple[JSON, ReceiptStatus], ...]:
    found = []
    for meaning in (ReceiptStatus.CONFIRMED, ReceiptStatus.PENDING, ReceiptStatus.REFUSED):
        is_needed = meaning is ReceiptStatus.CONFIRMED
        for word in _words(section, str(meaning), is_needed=is_needed):
            found.append((word, meaning))
    return tuple(found)


def _words(section: Section, name: str, *, is_needed: bool) -> list[JSON]:
    words = section.scalars(name, ... if is_needed else ())
    if is_needed and not words:
        raise mistake(section.key(name), "at least one word", [])
    return list(words)


def _answer(section: Section) -> AnswerShape:
    answer = AnswerShape(record=section.text("record", ""), members=_members(section, "members"))
    section.done()
    return answer


def _lookup(section: Section) -> DirectLookup | ListLookup | None:
    if not section.table("lookup", {}):
        return None
    own = _inner(section, "lookup")
    if ("get" in own.values) is ("list" in own.values):
        raise mistake(own.path, "either get or list", "both or neither")
    lookup = _direct(own) if "get" in own.values else _list(own)
    own.done()
    return lookup


def _direct(section: Section) -> DirectLookup:
    no = _inner(section, "not_found")
    lookup = DirectLookup(
        url=section.text("get"),
        answer=AnswerShape(record=section.text("record", ""), members=_members(section, "members")),
        not_found=NotFoundShape(
            status=no.number("status", at_least=200),
            body=_json(no, "body", MISSING),
            members=_members(no, "members"),
        ),
    )
    no.done()
    return lookup


def _list(section: Section) -> ListLookup:
    return ListLookup(
        url=section.text("list"),
        items=section.text("items"),
        search_limit=section.number("search_limit", at_least=1),
        pages=_pages(_inner(section, "pages", {})),
        members=_members(section, "members"),
        key_may_be_missing=section.flag("key_may_be_missing", default=False),
    )


def _pages(section: Section) -> PagesShape:
    word = section.text("by", str(PagesBy.NOTHING))
    if word not in set(PagesBy):
        raise mistake(section.key("by"), " or ".join(PagesBy), word)
    pages = PagesShape(
        by=PagesBy(word),
        parameter=section.text("parameter", ""),
        first=section.number("first", 1),
        next=section.text("next", None),
        last_item=section.text("last_item", None),
        has_more=section.text("has_more", None),
        total=section.text("total", None),
        total_pages=section.text("total_pages", None),
        missing_next_ends=section.flag("missing_next_ends", default=False),
    )
    section.done()
    return pages


def _members(section: Section, name: str) -> dict[str, JSON]:
    """A table of plain values: an answer's members by their pointers, or words by environment."""
    members = section.table(name, {})
    for member, value in members.items():
        if not isinstance(value, str | bool | int):
            raise mistake(section.key(f"{name}.{member}"), SCALAR, value)
    return members


def _json(section: Section, name: str, default: Any = ...) -> JSON | Missing:
    """A JSON text as its value."""
    if name not in section.values and default is MISSING:
        return MISSING
    try:
        return parse_json(section.text(name))
    except (MalformedJSON, TooLarge) as flaw:
        raise mistake(section.key(name), "one JSON text", flaw.detail) from None


def _inner(section: Section, name: str, default: Any = ...) -> Section:
    return Section(section.table(name, default), section.key(name))
