"""A batch of rows is carried out: what changes an operation singly, in the order of the file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from django.db import IntegrityError
from django.db.models import Count, Model, QuerySet

from operations.actions.patience import patiently
from reconciliation.actions.apply_row import apply_row
from reconciliation.actions.attest_row import agreed, attest_row
from reconciliation.actions.confirm_rows import confirm_rows
from reconciliation.actions.hold_run import RunLost, go_on
from reconciliation.actions.keep_orphans import keep_orphans
from reconciliation.models import AppliedRow, StatementRow, StatementRun
from reconciliation.protocol.statements.outcomes import ORPHANS, SETTLED_ROWS, Outcome, Road
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.protocol.statements.rows import Row
from reconciliation.queries.statement_matching import Settled
from reconciliation.queries.weigh_rows import (
    WeighedRow,
    contents_of,
    source_of,
    standings_of,
    weigh_rows,
)

# The rows of a dry run that may still change something, by their number.
type Seen = Mapping[int, StatementRow]


def apply_rows(*, run: StatementRun, rows: Sequence[Row]) -> None:
    """Each row is judged anew, and written in one transaction with its mark, so that whoever
    takes the run over does nothing twice. Raises RunLost.
    """
    within = {"number__range": (rows[0].number, rows[-1].number)}
    rehearsed = StatementRow.objects.filter(run=run.rehearsal, **within)
    applied = AppliedRow.objects.filter(run=run, **within)
    seen = {row.number: row for row in rehearsed.exclude(outcome__in=SETTLED_ROWS)}
    try:
        settled = _carry_out(run, rows, seen, applied)
    except IntegrityError:
        if _is_lost(run):
            raise RunLost from None
        # A row was done before, by a commit that nobody acknowledged: its mark says so now.
        settled = _carry_out(run, rows, seen, applied)
    counts = _counted(rehearsed.filter(outcome__in=SETTLED_ROWS)) + settled + _counted(applied)
    go_on(run, rows[-1].place, counts)


def _carry_out(
    run: StatementRun, rows: Sequence[Row], seen: Seen, applied: QuerySet[AppliedRow]
) -> Counter[str]:
    """Do what is not done; how many rows turned out to need nothing."""
    done = set(applied.values_list("number", flat=True))
    pending = seen.keys() - done
    weighed = _weigh(run, [row for row in rows if row.number in pending], seen)
    settled = [one for one in weighed if one.outcome in SETTLED_ROWS]
    orphans = [one for one in weighed if one.outcome in ORPHANS]
    _singly(run, [one for one in weighed if one.outcome not in SETTLED_ROWS | ORPHANS], seen)
    if keep_orphans(run=run, orphans=orphans):
        return _carry_out(run, rows, seen, applied)  # some have an operation by now
    return Counter(str(one.outcome) for one in settled)


def _weigh(run: StatementRun, pending: Sequence[Row], seen: Seen) -> list[WeighedRow]:
    if not pending:
        return []
    source, contents = source_of(run.statement), contents_of(pending)
    return weigh_rows(
        pending,
        source,
        contents=contents,
        occurrence_of={number: seen[number].occurrence for number in contents},
        known=standings_of(contents, source),
        settled=Settled(),
    )


def _singly(run: StatementRun, singly: Sequence[WeighedRow], seen: Seen) -> None:
    if run.statement.road == Road.MACHINE:
        for one in _not_at_once(run, singly):
            patiently(partial(apply_row, run=run, one=one))
        return
    by = agreed(run) if singly else None
    for one in singly:
        assert by is not None
        row = seen[one.row.number]
        was_match = row.outcome == Outcome.CONFIRMS
        seen_at = row.version_seen if was_match else None
        patiently(partial(attest_row, by=by, one=one, version_seen=seen_at))


def _not_at_once(run: StatementRun, singly: Sequence[WeighedRow]) -> list[WeighedRow]:
    """Those that are left once plain matches are confirmed together, in the order of the file.

    An operation that several rows speak of meets them one after the other.
    """
    spoken_of = Counter(one.standing.id for one in singly if one.standing)
    matches = [
        one
        for one in singly
        if one.standing and one.outcome is Outcome.CONFIRMS and spoken_of[one.standing.id] == 1
    ]
    others = {one.row.number for one in singly} - {one.row.number for one in matches}
    others |= {one.row.number for one in confirm_rows(run=run, matches=matches)}
    return [one for one in singly if one.row.number in others]


def _counted[Counts: Model](rows: QuerySet[Counts]) -> Counter[str]:
    return Counter(dict(rows.values_list("outcome").annotate(count=Count("number"))))


def _is_lost(run: StatementRun) -> bool:
    """Whether somebody else has taken the run over, so that our own mark was refused."""
    held = StatementRun.objects.filter(pk=run.pk, token=run.token, status=RunStatus.RUNNING)
    return not held.exists()
