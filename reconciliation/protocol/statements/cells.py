"""From the cells of one row to a receipt, as the profile says what each column means."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo

from operations.protocol.json_values import (
    JSON,
    MISSING,
    Missing,
    Number,
    dumps,
    is_number,
    pointer_names,
)
from operations.protocol.receipts import InvalidReceipt, Receipt, parse_receipt
from operations.protocol.words import shortened
from reconciliation.protocol.statements.numbers import described, plain_number
from reconciliation.protocol.statements.profile import (
    CellType,
    PayloadCell,
    StatementProfile,
    TimeForm,
)
from reconciliation.protocol.statements.rows import Mistake

type Cells = Callable[[str], JSON]

_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


class Unreadable(Exception):
    """A cell that fits nothing its column declares; carries the mistake."""

    def __init__(self, column: str, expected: str, got: JSON) -> None:
        shown = got if isinstance(got, str) else "nothing" if got is MISSING else dumps(got)
        self.mistake = Mistake(column, expected, shortened(shown, limit=80) or "an empty cell")
        super().__init__(expected)


def receipt_of(profile: StatementProfile, cell_of: Cells) -> Receipt | Mistake:
    """The receipt in a row. `cell_of` gives a column's cell: text in csv, any value in jsonl."""
    try:
        value = {
            "operation_id": _required(cell_of, profile.key),
            "status": _status(profile, cell_of),
            "effect_id": _optional(cell_of, profile.effect_id),
            "occurred_at": _instant(profile, cell_of),
        }
        if profile.payload:
            value["payload"] = _payload(profile, cell_of)
    except Unreadable as unreadable:
        return unreadable.mistake
    return parsed(value, columns={"/operation_id": profile.key, "/effect_id": profile.effect_id})


def parsed(value: JSON, *, columns: dict[str, str]) -> Receipt | Mistake:
    """The receipt, or the mistake in it with the column of the file that it stands in."""
    try:
        return parse_receipt(value)
    except InvalidReceipt as invalid:
        column = columns.get(invalid.pointer, invalid.pointer)
        return Mistake(column, invalid.expected, invalid.got)


def _required(cell_of: Cells, column: str) -> JSON:
    cell = cell_of(column)
    if not isinstance(cell, str) or not cell:
        raise Unreadable(column, "text", cell)
    return cell


def _optional(cell_of: Cells, column: str) -> JSON:
    """None where no column is declared, and for an empty cell: the row names no effect."""
    cell = cell_of(column) if column else None
    if cell in (None, "") or isinstance(cell, Missing):
        return None
    if not isinstance(cell, str):
        raise Unreadable(column, "text", cell)
    return cell


def _status(profile: StatementProfile, cell_of: Cells) -> str:
    if profile.every_row is not None:
        return str(profile.every_row)
    word = cell_of(profile.status)
    for known, status in profile.status_words:
        if word == known:
            return str(status)
    known_words = ", ".join(known for known, _ in profile.status_words)
    raise Unreadable(profile.status, f"one of {known_words}", word)


def _instant(profile: StatementProfile, cell_of: Cells) -> str | None:
    text = _optional(cell_of, profile.time)
    if text is None:
        return None
    at = _read_instant(text, profile.time_form)
    if at is None:
        form = profile.time_form.pattern or "ISO 8601 with a zone"
        raise Unreadable(profile.time, f"an instant written as {form}", text)
    return at.isoformat()


def _read_instant(text: str, form: TimeForm) -> datetime | None:
    try:
        if not form.pattern:
            at = datetime.fromisoformat(text)
        else:
            at = datetime.strptime(text, form.pattern)  # noqa: DTZ007  the zone follows
            at = at.replace(tzinfo=ZoneInfo(form.zone)) if at.tzinfo is None else at
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _payload(profile: StatementProfile, cell_of: Cells) -> dict[str, JSON]:
    payload: dict[str, JSON] = {}
    for cell in profile.payload:
        value = _value(profile, cell, cell_of(cell.column))
        if value is not MISSING:
            *above, name = _names(cell.pointer)
            place = payload
            for each in above:
                place = place.setdefault(each, {})
            place[name] = value
    return payload


@cache
def _names(pointer: str) -> tuple[str, ...]:
    return tuple(pointer_names(pointer))


def _value(profile: StatementProfile, cell: PayloadCell, given: JSON) -> JSON:
    if cell.is_optional and (given == "" or given is MISSING):
        return MISSING
    if cell.type is CellType.TEXT:
        if isinstance(given, str):
            return given
        raise Unreadable(cell.column, "text", given)
    if profile.numbers is not None:  # csv: a number is text in the declared style
        plain = plain_number(given, profile.numbers) if isinstance(given, str) else None
        if plain is None:
            raise Unreadable(cell.column, described(profile.numbers), given)
        return plain if cell.type is CellType.AMOUNT else Number(plain)
    is_decimal_text = isinstance(given, str) and _PLAIN.fullmatch(given) is not None
    if is_number(given) or (is_decimal_text and cell.type is CellType.AMOUNT):
        return given
    raise Unreadable(cell.column, "a number", given)
