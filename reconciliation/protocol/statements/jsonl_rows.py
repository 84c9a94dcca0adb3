"""Rows of a JSON lines file: a JSON text a line, read as strictly as anything a receiver says."""

from collections.abc import Iterator
from typing import IO

from operations.protocol.json_reader import MAX_DEPTH, parse_json
from operations.protocol.json_values import JSON, resolve
from operations.protocol.receipts import Receipt
from operations.protocol.refusals import MalformedJSON, TooLarge
from reconciliation.protocol.statements.cells import parsed, receipt_of
from reconciliation.protocol.statements.profile import StatementProfile
from reconciliation.protocol.statements.rows import (
    BYTE_ORDER_MARK,
    LONGEST_ROW_BYTES,
    Mistake,
    NotUnderstood,
    Place,
    Row,
)

# A payload may be nested 64 deep; a line holds a receipt or more, which holds the payload.
_DEPTH = MAX_DEPTH + 3


def jsonl_rows(profile: StatementProfile, stream: IO[bytes], after: Place) -> Iterator[Row]:
    """The rows behind `after`; blank lines are none. Raises NotUnderstood."""
    offset, number, line = after
    if offset == 0 and stream.read(3) == BYTE_ORDER_MARK:
        offset = len(BYTE_ORDER_MARK)
    stream.seek(offset)
    while raw := stream.readline(LONGEST_ROW_BYTES + 1):
        offset, line = offset + len(raw), line + 1
        if raw.isspace():
            continue
        number += 1
        value = _read(profile, _json(raw, number, line))
        yield Row(number, line, raw, value, Place(offset, number, line))


def _json(raw: bytes, number: int, line: int) -> JSON:
    try:
        return parse_json(raw, max_bytes=LONGEST_ROW_BYTES, max_depth=_DEPTH, keeps_any_text=True)
    except TooLarge:
        expected, got = f"the end of the line within {LONGEST_ROW_BYTES} bytes", "more than that"
    except MalformedJSON as malformed:
        expected, got = malformed.members["expected"], malformed.members["got"]
    raise NotUnderstood(row=number, line=line, expected=expected, got=got)


def _read(profile: StatementProfile, value: JSON) -> Receipt | Mistake:
    if profile.holds_receipts:
        return parsed(value, columns={})

    def cell_of(column: str) -> JSON:
        return resolve(value, column)

    return receipt_of(profile, cell_of)
