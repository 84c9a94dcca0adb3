"""Rows of a statement as they are read, and why a whole file is given up."""

from typing import NamedTuple

from operations.protocol.receipts import Receipt

# A payload may have 1 MiB. What is longer is a quote that nobody closed.
LONGEST_ROW_BYTES = 2 * 1024 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Place(NamedTuple):
    """Behind a row: where the file is read on from. `number` and `line` are those read so far."""

    offset: int = 0
    number: int = 0
    line: int = 0


START = Place()


class Mistake(NamedTuple):
    """Why a row is no receipt: the column, what was expected there and what stands there."""

    column: str
    expected: str
    got: str


class Row(NamedTuple):
    """One row: its number from 1 (the header is none), the line it begins on, its bytes.

    `place` is where the next one begins.
    """

    number: int
    line: int
    raw: bytes
    value: Receipt | Mistake
    place: Place


class NotUnderstood(Exception):
    """A file that can't be read on: nothing of it counts. `row` is 0 for the header or the start.

    Its text is one sentence with the row, the line, expected and got.
    """

    def __init__(self, *, row: int, line: int, expected: str, got: str) -> None:
        self.row, self.line, self.expected, self.got = row, line, expected, got
        place = f"row {row} (line {line})" if row else f"the header (line {line})"
        super().__init__(f"{place}: expected {expected}, got {got}.")
