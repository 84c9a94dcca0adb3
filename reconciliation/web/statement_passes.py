"""Passes over a statement as its page shows them: how far, what rows came to, what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from reconciliation.models import StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import GOING_ON, Purpose, RunStatus
from reconciliation.protocol.statements.totals import told
from reconciliation.queries.statements import StatementRecord, applied_rows_page, rows_page
from reconciliation.web.statement_words import (
    TONES,
    Meter,
    RowView,
    meter_of,
    row_view,
    waiting_words,
)

# An application writes nothing for these, so their rows are listed by the dry run alone.
_UNWRITTEN = frozenset({Outcome.ALREADY, Outcome.KNOWN, Outcome.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalView:
    """How many rows came to one thing; `url` lists them."""

    name: str
    row_count: str
    means: str
    tone: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassView:
    """A dry run or an application. `fault` says why it stopped, or why nothing counts.

    `waits` says what for, while no worker is at it.
    """

    title: str
    run: StatementRun
    waits: str
    is_over: bool
    has_failed: bool
    meter: Meter | None
    totals: list[TotalView]
    fault: Mapping[str, Any] | None


def passes_of(record: StatementRecord, here: str) -> list[PassView]:
    """The application first, then the dry run that it rests on or that was made last."""
    runs = [run for run in (record.application, record.rehearsal) if run is not None]
    return [_pass(run, record, here) for run in runs]


def rows_of(
    run: StatementRun, outcome: Outcome, *, after: int, limit: int
) -> tuple[list[RowView], int]:
    """Rows that came to this in a pass, and behind which row the list goes on; 0 at its end."""
    if run.purpose == Purpose.REHEARSE:
        rows, further = rows_page(run, outcome, after=after, limit=limit)
        return [row_view(row) for row in rows], further
    rows, further = applied_rows_page(run, outcome, after=after, limit=limit)
    return [row_view(row, why=getattr(row, "why", "") or "") for row in rows], further


def _pass(run: StatementRun, record: StatementRecord, here: str) -> PassView:
    is_going_on = run.status in GOING_ON
    return PassView(
        title="Applied" if run.purpose == Purpose.APPLY else "Dry run",
        run=run,
        waits=_waits(run, record),
        is_over=not is_going_on,
        has_failed=run.status == RunStatus.FAILED,
        meter=meter_of(run, record.statement.size_bytes) if is_going_on else None,
        totals=[
            TotalView(
                name=total.name,
                row_count=f"{total.row_count:,}",
                means=total.means,
                tone=TONES[total.outcome],
                url=_rows_url(run, total.outcome, here),
            )
            for total in told(run.purpose, run.counts)
        ],
        fault=run.fault,
    )


def _waits(run: StatementRun, record: StatementRecord) -> str:
    if run.status != RunStatus.WAITING:
        return ""
    return waiting_words(record.waits_for if run.purpose == Purpose.APPLY else None)


def _rows_url(run: StatementRun, outcome: Outcome, here: str) -> str:
    is_applied = run.purpose == Purpose.APPLY
    if is_applied and outcome in _UNWRITTEN:
        return ""
    return f"{here}?{urlencode({'applied' if is_applied else 'rows': str(outcome)})}#rows"
