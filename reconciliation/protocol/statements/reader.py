"""Reading a statement: one pass, one row in memory at a time."""

from collections.abc import Iterator
from typing import IO

from reconciliation.protocol.statements.csv_rows import csv_rows
from reconciliation.protocol.statements.jsonl_rows import jsonl_rows
from reconciliation.protocol.statements.profile import Format, StatementProfile
from reconciliation.protocol.statements.rows import START, Place, Row


def read_rows(
    profile: StatementProfile, stream: IO[bytes], *, after: Place = START
) -> Iterator[Row]:
    """The rows of a seekable file, behind a place that an earlier reading came to.

    Raises NotUnderstood, from the first row on at which the file is not what its profile says.
    """
    rows = csv_rows if profile.format is Format.CSV else jsonl_rows
    return rows(profile, stream, after)
