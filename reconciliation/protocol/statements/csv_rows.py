"""Rows of a CSV file, one at a time: quoted line breaks, CRLF, and the bytes of each row kept."""

import csv
from collections.abc import Iterator
from typing import IO

from operations.protocol.json_values import JSON
from operations.protocol.receipts import Receipt
from operations.protocol.words import shortened
from reconciliation.protocol.statements.cells import receipt_of
from reconciliation.protocol.statements.profile import StatementProfile
from reconciliation.protocol.statements.rows import (
    BYTE_ORDER_MARK,
    LONGEST_ROW_BYTES,
    Mistake,
    NotUnderstood,
    Place,
    Row,
)

csv.field_size_limit(LONGEST_ROW_BYTES)


def csv_rows(profile: StatementProfile, stream: IO[bytes], after: Place) -> Iterator[Row]:
    """The rows behind `after`; blank lines are none. The header is read and checked each time.

    Raises NotUnderstood.
    """
    lines = _Lines(stream, profile)
    cells = csv.reader(lines, delimiter=profile.delimiter, strict=True)
    header = _header(profile, lines, cells)
    if after.offset:
        stream.seek(after.offset)
        lines.go_on_from(after)
    while (found := lines.next_row(cells)) is not None:
        row, raw, began_at = found
        value = _read(profile, header, row)
        yield Row(lines.number, began_at, raw, value, lines.place)


def _read(profile: StatementProfile, header: dict[str, int], row: list[str]) -> Receipt | Mistake:
    if len(row) != len(header):
        return Mistake("", f"{len(header)} cells as the header has", f"{len(row)} cells")

    def cell_of(column: str) -> JSON:
        return row[header[column]]

    return receipt_of(profile, cell_of)


def _header(
    profile: StatementProfile, lines: "_Lines", cells: Iterator[list[str]]
) -> dict[str, int]:
    """Where each column stands. Raises NotUnderstood for any that is not declared, or lacks."""
    found = lines.next_row(cells, is_header=True)
    names = found[0] if found else []
    declared = (*profile.read_columns, *profile.ignored)
    expected = f"the columns {', '.join(declared)}"
    for name in names:
        if name not in declared:
            raise _bad_header(lines, expected, f"a column {_shown(name)} that is not declared")
        if names.count(name) > 1:
            raise _bad_header(lines, expected, f"{names.count(name)} columns {_shown(name)}")
    for name in profile.read_columns:
        if name not in names:
            raise _bad_header(lines, expected, f"no column {_shown(name)}")
    return {name: place for place, name in enumerate(names)}


def _bad_header(lines: "_Lines", expected: str, got: str) -> NotUnderstood:
    return NotUnderstood(row=0, line=max(lines.line, 1), expected=expected, got=got)


def _shown(name: str) -> str:
    return shortened(ascii(name)[1:-1] if not name.isprintable() else f'"{name}"', limit=80)


class _Lines:
    """Decoded lines for the csv module, with the bytes of the row that it is reading."""

    def __init__(self, stream: IO[bytes], profile: StatementProfile) -> None:
        self._stream, self._encoding = stream, profile.encoding
        self.offset, self.number, self.line = 0, 0, 0
        self._taken: list[bytes] = []
        self._size = 0
        self._is_header = False
        if profile.encoding == "utf-8" and stream.read(3) == BYTE_ORDER_MARK:
            self.offset = len(BYTE_ORDER_MARK)
        stream.seek(self.offset)

    @property
    def place(self) -> Place:
        """Behind the last row that was read."""
        return Place(self.offset, self.number, self.line)

    def go_on_from(self, place: Place) -> None:
        self.offset, self.number, self.line = place

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        raw = self._stream.readline(LONGEST_ROW_BYTES + 1)
        if not raw:
            raise StopIteration
        self._taken.append(raw)
        self._size += len(raw)
        if self._size > LONGEST_ROW_BYTES:
            got = f"{self._size} bytes without one"
            raise self._not_understood(f"the end of the row within {LONGEST_ROW_BYTES} bytes", got)
        try:
            return raw.decode(self._encoding)
        except UnicodeDecodeError as error:
            got = f"byte 0x{raw[error.start]:02x} at place {error.start + 1} of its line"
            raise self._not_understood(f"text in {self._encoding}", got) from None

    def next_row(
        self, cells: Iterator[list[str]], *, is_header: bool = False
    ) -> tuple[list[str], bytes, int] | None:
        """The next row's cells, its bytes and the line it begins on; None at the end."""
        while True:
            self._taken.clear()
            self._size, self._is_header = 0, is_header
            began_at = self.line + 1
            try:
                row = next(cells, None)
            except csv.Error as error:
                raise self._not_understood("CSV as declared", str(error)) from None
            raw = b"".join(self._taken)
            self.offset += len(raw)
            self.line += len(self._taken)
            if row is None:
                return None
            if row:
                self.number += not is_header
                return row, raw, began_at

    def _not_understood(self, expected: str, got: str) -> NotUnderstood:
        row = 0 if self._is_header else self.number + 1
        return NotUnderstood(row=row, line=self.line + 1, expected=expected, got=got)
