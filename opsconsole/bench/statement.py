"""How fast a statement is compared and applied by the command, beside COPY and a hash join.

Every operation is an unknown outcome, and every row of the file confirms one: the dearest case.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from opsconsole.bench.planted import PAYLOAD, plant_unknowns
from opsconsole.embedded.record import DATABASE, ServersRecord

PREFIX = "statement-"
A_DAY_SECONDS = 86_400
_TOOK = """
    SELECT purpose, extract(epoch FROM finished_at - started_at)::float, row_count, counts
    FROM reconciliation_statementrun WHERE status = 'done' ORDER BY id DESC LIMIT 2
"""
_TABLE = "CREATE UNLOGGED TABLE bench_statement (line jsonb)"
_COPY = "COPY bench_statement FROM STDIN WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"
_JOIN = """
    SELECT count(*) FILTER (WHERE o.state = 'sent_unknown'
        AND o.payload_text::jsonb = s.line -> 'payload' AND s.line ->> 'status' = 'confirmed')
    FROM bench_statement s JOIN operations_operation o
        ON o.environment = 'production' AND o.receiver = 'sandbox'
        AND o.key = s.line ->> 'operation_id'
"""


def import_statement(root: Path, record: ServersRecord, *, count: int) -> Iterator[str]:
    """A table, line by line: rows compared a second, the floor, ratio, rows applied, memory."""
    superuser_url = record.superuser_url(DATABASE)
    plant_unknowns(
        superuser_url,
        count,
        prefix=PREFIX,
        due_in_seconds=A_DAY_SECONDS,
        has_triggers=False,
    )
    file = root / "statement.jsonl"
    _write(file, count)
    floor = count / _floor(superuser_url, file, count)
    peak = _imported(file)
    compared, applied = _took(record.database_url, count)
    yield f"a statement of {count:,} rows against {count:,} unknown outcomes, by the command"
    yield (
        f"{'compared/s':>10}  {'COPY and hash join/s':>20}  {'ratio':>5}  {'applied/s':>9}  "
        "peak memory"
    )
    yield (
        f"{compared:>10.0f}  {floor:>20.0f}  {compared / floor:>5.3f}  {applied:>9.0f}  "
        f"{peak / 2**20:.0f} MB"
    )


def _write(file: Path, count: int) -> None:
    with file.open("w", encoding="utf-8") as out:
        for number in range(1, count + 1):
            out.write(
                f'{{"operation_id":"{PREFIX}{number}","payload":{PAYLOAD},"status":"confirmed",'
                f'"effect_id":"effect-{number}"}}\n'
            )


def _floor(database_url: str, file: Path, count: int) -> float:
    """Seconds for bare SQL to say how many rows match."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(_TABLE)
        began = time.perf_counter()
        with connection.cursor().copy(_COPY) as copy, file.open("rb") as stream:
            while piece := stream.read(1024 * 1024):
                copy.write(piece)
        found = connection.execute(_JOIN).fetchone()
        took = time.perf_counter() - began
        connection.execute("DROP TABLE bench_statement")
    if found is None or found[0] != count:
        raise AssertionError(f"expected {count} matches, got {found}")
    return took


def _imported(file: Path) -> int:
    """Import it in a process of its own; the most bytes that this one had in memory."""
    command = [sys.executable, "manage.py", "import_receipts", str(file), "--apply"]
    where = ["--receiver", "sandbox", "--environment", "production", "--profile", "sandbox"]
    with subprocess.Popen([*command, *where], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"import_receipts ended with {process.returncode}")
    return usage.ru_maxrss * 1024


def _took(database_url: str, count: int) -> tuple[float, float]:
    """Rows a second of the dry run and of the application, as the record has them."""
    with psycopg.connect(database_url) as connection:
        runs = {row[0]: row[1:] for row in connection.execute(_TOOK).fetchall()}
    for purpose, (_, row_count, counts) in runs.items():
        if (row_count, counts) != (count, {"confirms": count}):
            raise AssertionError(f"expected {count} matches, got {counts} in {purpose}")
    return count / runs["rehearse"][0], count / runs["apply"][0]
