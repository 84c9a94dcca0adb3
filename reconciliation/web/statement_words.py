"""How a statement stands, in words, and what a person reads of one of its rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from operations.models import Operation
from operations.protocol.words import shortened
from operations.templatetags.looks import Look
from reconciliation.models import StatementRow, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import Purpose, RunStatus
from reconciliation.queries.statements import StatementRecord

TONES: dict[Outcome, str] = {
    Outcome.CONFIRMS: "good",
    Outcome.CORROBORATES: "good",
    Outcome.REFUSES: "waiting",
    Outcome.LEFT: "unknown",
    Outcome.MISMATCH: "alarm",
    Outcome.LATE: "alarm",
    Outcome.REPEATED: "alarm",
    Outcome.NOT_PROOF: "unknown",
    Outcome.KEPT: "quiet",
    Outcome.UNMATCHED: "unknown",
    Outcome.UNREADABLE: "alarm",
    Outcome.ALREADY: "quiet",
    Outcome.KNOWN: "quiet",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A word, an icon and a tone."""

    look: Look
    tone: str


@dataclass(frozen=True, slots=True)
class Meter:
    """How far a pass is, as components/meter.html draws it; `percent` counts bytes."""

    name: str
    word: str
    percent: int
    tone: str = "active"
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """One row: where it stands in the file, and in a sentence what there is to know."""

    number: int
    line: int
    key: str
    effect_id: str
    operation: Operation | None
    sentence: str


def standing_of(record: StatementRecord, *, now: datetime) -> Standing:
    """How the file stands, the furthest first."""
    if record.application is not None:
        return _of_application(record.application, record.waits_for)
    if record.proposal is not None and not record.proposal.is_overdue(now):
        return Standing(Look("waits for a second person", "approval"), "waiting")
    if record.rehearsal is None:
        return Standing(Look("not compared", "question"), "unknown")
    return _of_rehearsal(record.rehearsal)


def _of_application(run: StatementRun, waits_for: int | None) -> Standing:
    if run.status == RunStatus.DONE:
        return Standing(Look("applied", "check"), "good")
    if run.fault:
        return Standing(Look("held up", "warning"), "alarm")
    if run.status == RunStatus.WAITING:
        return Standing(Look(waiting_words(waits_for), "clock"), "waiting")
    return Standing(Look("is applied now", "running"), "active")


def waiting_words(waits_for: int | None) -> str:
    """What a pass waits for: another statement of its receiver, or a worker."""
    return f"waits for statement {waits_for}" if waits_for else "waits for a worker"


def _of_rehearsal(run: StatementRun) -> Standing:
    if run.status == RunStatus.FAILED:
        return Standing(Look("not understood", "cross"), "alarm")
    if run.status == RunStatus.DONE:
        return Standing(Look("compared", "lookup"), "quiet")
    return Standing(Look("is compared now", "running"), "active")


def meter_of(run: StatementRun, size_bytes: int) -> Meter:
    """Its rows and its share of the bytes; a file's rows are not counted beforehand."""
    percent = 100 * run.offset // size_bytes
    name = "Applied" if run.purpose == Purpose.APPLY else "Compared"
    return Meter(name=name, word=f"{run.row_count:,} rows, {percent} %", percent=percent)


def row_view(row: StatementRow, *, why: str = "") -> RowView:
    """`why` is what its application says."""
    return RowView(
        number=row.number,
        line=row.line,
        key=row.key,
        effect_id=row.effect_id,
        operation=row.operation,
        sentence=why or _sentence(row.detail or {}),
    )


def _sentence(detail: Mapping[str, Any]) -> str:
    if "expected" in detail:
        column = f"{detail['column']}: " if detail["column"] else ""
        return f"{column}expected {detail['expected']}, got {detail['got']}."
    found = detail.get("differences")
    if not found:
        return ""
    first = found[0]
    where = first["pointer"] or "the payload"
    more = f" (and {detail['count'] - 1} more)" if detail["count"] > 1 else ""
    expected, got = (shortened(first[name], limit=60) for name in ("expected", "got"))
    return f"{where}: expected {expected}, got {got}{more}."
