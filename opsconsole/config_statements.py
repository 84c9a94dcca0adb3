"""Reads `[statements.NAME]`: how a receiver's export is written, and what its columns mean."""

import codecs
import re
from collections.abc import Collection
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from operations.protocol.json_values import pointer_names
from operations.protocol.states import ReceiptStatus
from opsconsole.toml_section import Section, mistake
from reconciliation.protocol.statements.profile import (
    BUILT_IN,
    ENCODINGS,
    CellType,
    Format,
    NumberStyle,
    PayloadCell,
    StatementProfile,
    TimeForm,
)

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")
_MARKS = {"point": ".", "comma": ","}
_WORDS = ("confirmed", "pending", "refused")


def read_statements(root: Section, receivers: Collection[str]) -> dict[str, StatementProfile]:
    """Every profile by its name, the built-in ones included. Raises ImproperlyConfigured."""
    return BUILT_IN | root.sections("statements", lambda n, s: _read(n, s, receivers))


def _read(name: str, section: Section, receivers: Collection[str]) -> StatementProfile:
    if name in BUILT_IN or not _NAME.fullmatch(name):
        raise mistake(section.path, "a name of lower case that is not built in", name)
    form = _one_of(section, "format", tuple(Format))
    is_csv = form == Format.CSV
    status, words, every_row = _status(section)
    profile = StatementProfile(
        name=name,
        format=Format(form),
        delimiter=_delimiter(section) if is_csv else ",",
        encoding=_encoding(section) if is_csv else "utf-8",
        numbers=_numbers(section) if is_csv else None,
        key=section.text("key"),
        effect_id=section.text("effect_id", ""),
        status=status,
        status_words=words,
        every_row=every_row,
        time=section.text("time", ""),
        time_form=_time_form(section),
        payload=tuple(_payload_cell(each) for each in section.list_of_sections("payload")),
        ignored=section.texts("ignored", ()) if is_csv else (),
        receivers=section.texts("receivers", ()),
    )
    _check(profile, section, receivers)
    section.done()
    return profile


def _check(profile: StatementProfile, section: Section, receivers: Collection[str]) -> None:
    for receiver in profile.receivers:
        if receiver not in receivers:
            expected = f"some of {', '.join(sorted(receivers))}"
            raise mistake(section.key("receivers"), expected, receiver)
    has_numbers = any(cell.type is not CellType.TEXT for cell in profile.payload)
    if profile.format is Format.CSV and has_numbers and profile.numbers is None:
        expected = "comma or point, since a column holds numbers"
        raise mistake(section.key("decimal"), expected, "nothing")
    if profile.format is Format.JSONL:
        for column in profile.read_columns:
            _require_pointer(column, section.path)
    pointers = [cell.pointer for cell in profile.payload]
    for pointer in pointers:
        is_below = any(pointer.startswith(f"{other}/") for other in pointers)
        if is_below or pointers.count(pointer) > 1:
            raise mistake(section.key("payload"), "places beside each other", pointer)


def _status(
    section: Section,
) -> tuple[str, tuple[tuple[str, ReceiptStatus], ...], ReceiptStatus | None]:
    """The column and its words, or what every row of such a file is."""
    column, every_row = section.text("status", ""), section.text("every_row", "")
    words = tuple(
        (word, ReceiptStatus(status)) for status in _WORDS for word in section.texts(status, ())
    )
    if bool(column) == bool(every_row):
        raise mistake(section.key("status"), "a column, or every_row instead of one", column)
    if every_row:
        if every_row not in _WORDS or words:
            raise mistake(section.key("every_row"), f"one of {', '.join(_WORDS)} alone", every_row)
        return "", (), ReceiptStatus(every_row)
    known = [word for word, _ in words]
    if not section.texts("confirmed", ()) or len(set(known)) < len(known):
        raise mistake(section.key("confirmed"), "words, each with one meaning", known)
    return column, words, None


def _delimiter(section: Section) -> str:
    delimiter = section.text("delimiter", ",")
    if len(delimiter) != 1 or delimiter not in ",;|:\t":
        raise mistake(section.key("delimiter"), "one of , ; | : or a tabulator", delimiter)
    return delimiter


def _encoding(section: Section) -> str:
    given = section.text("encoding", "utf-8")
    try:
        name = codecs.lookup(given).name
    except LookupError:
        name = ""
    if name not in ENCODINGS:
        raise mistake(section.key("encoding"), f"one of {', '.join(ENCODINGS)}", given)
    return name


def _numbers(section: Section) -> NumberStyle | None:
    decimal, thousands = section.text("decimal", ""), section.text("thousands", "")
    if not decimal and not thousands:
        return None
    if decimal not in _MARKS:
        raise mistake(section.key("decimal"), "comma or point", decimal)
    mark = _MARKS[decimal]
    if thousands and (len(thousands) != 1 or thousands not in ".,' \u00a0\u202f’"):
        raise mistake(section.key("thousands"), "a point, comma, space or apostrophe", thousands)
    if thousands == mark:
        raise mistake(section.key("thousands"), "another mark than the decimal one", thousands)
    return NumberStyle(decimal=mark, thousands=thousands)


def _time_form(section: Section) -> TimeForm:
    form = TimeForm(pattern=section.text("time_format", ""), zone=section.text("time_zone", ""))
    if not form.pattern:
        if form.zone:
            raise mistake(section.key("time_format"), "a pattern beside time_zone", "nothing")
        return form
    if "%Y" not in form.pattern and "%y" not in form.pattern:
        raise mistake(section.key("time_format"), "a pattern with a year", form.pattern)
    try:
        example = datetime(2026, 3, 1, 10, 4, 11, tzinfo=UTC).strftime(form.pattern)
        has_zone = datetime.strptime(example, form.pattern).tzinfo is not None  # noqa: DTZ007
    except ValueError:
        raise mistake(section.key("time_format"), "such as %d.%m.%Y %H:%M", form.pattern) from None
    if has_zone == bool(form.zone):
        raise mistake(section.key("time_zone"), "a zone, in one of the two places", form.zone)
    if form.zone:
        try:
            ZoneInfo(form.zone)
        except (ZoneInfoNotFoundError, ValueError):
            expected = "a name such as Europe/Berlin"
            raise mistake(section.key("time_zone"), expected, form.zone) from None
    return form


def _payload_cell(own: Section) -> PayloadCell:
    cell = PayloadCell(
        column=own.text("column"),
        pointer=own.text("pointer"),
        type=CellType(_one_of(own, "type", tuple(CellType), default=CellType.TEXT)),
        is_optional=own.flag("optional", default=False),
    )
    _require_pointer(cell.pointer, own.key("pointer"))
    own.done()
    return cell


def _require_pointer(text: str, key: str) -> None:
    try:
        is_pointer = bool(pointer_names(text))
    except ValueError:
        is_pointer = False
    if not is_pointer:
        raise mistake(key, "a JSON pointer such as /amount", text)


def _one_of(section: Section, name: str, known: tuple[str, ...], *, default: str = "") -> str:
    word = section.text(name, default) if default else section.text(name)
    if word not in known:
        raise mistake(section.key(name), f"one of {', '.join(known)}", word)
    return word
