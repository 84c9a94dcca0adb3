"""A statement's file as a stream that can be read from any place: one piece in memory at a time."""

import io
from typing import IO

from django.db import connection

from reconciliation.models.statement import CHUNK_BYTES, Statement

_PIECE = """
    SELECT body FROM reconciliation_statementchunk WHERE statement_id = %s AND number = %s
"""


def open_statement(statement: Statement) -> IO[bytes]:
    """The file of a statement, seekable. Raises OSError where a piece of it is missing."""
    return io.BufferedReader(_Pieces(statement))


class _Pieces(io.RawIOBase):
    def __init__(self, statement: Statement) -> None:
        self._statement, self._at = statement, 0
        self._number, self._piece = -1, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._statement.size_bytes}
        self._at = max(0, base[whence] + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._at >= self._statement.size_bytes:
            return 0
        number, begin = divmod(self._at, CHUNK_BYTES)
        self._load(number)
        taken = self._piece[begin : begin + len(buffer)]
        buffer[: len(taken)] = taken
        self._at += len(taken)
        return len(taken)

    def _load(self, number: int) -> None:
        if number == self._number:
            return
        with connection.cursor() as cursor:
            cursor.execute(_PIECE, [self._statement.pk, number])
            row = cursor.fetchone()
        if row is None:
            raise OSError(f"expected piece {number} of statement {self._statement.pk}, got none")
        self._number, self._piece = number, bytes(row[0])
