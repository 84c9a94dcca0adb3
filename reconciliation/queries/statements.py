"""Statements as pages show them: what came, how each stands, and what its rows came to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import DateTimeField, Func, OuterRef, Prefetch, QuerySet, Subquery

from operations.queries.environments import at_environment
from operations.queries.places import RowPlace, page_of
from reconciliation.models import (
    AppliedRow,
    Statement,
    StatementProposal,
    StatementRow,
    StatementRun,
)
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import GOING_ON, ProposalStatus, Purpose
from reconciliation.queries.statement_runs import waits_for


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRecord:
    """One file with its newest dry run, its application and its open proposal, where there are.

    `applied_elsewhere`: the same bytes were applied as another statement. `waits_for`: the number
    of the statement that is applied before this one. `voided`: the last proposal, where a newer dry
    run ended it.
    """

    statement: Statement
    rehearsal: StatementRun | None
    application: StatementRun | None
    proposal: StatementProposal | None
    applied_elsewhere: StatementRun | None = None
    waits_for: int | None = None
    voided: StatementProposal | None = None

    @property
    def proposal_ids(self) -> set[int]:
        """Every proposal that there was for it."""
        return {proposal.pk for proposal in self.statement.proposals.all()}

    @property
    def is_going_on(self) -> bool:
        """Whether a worker has something to do for it."""
        runs = (self.rehearsal, self.application)
        return any(run is not None and run.status in GOING_ON for run in runs)


def statements_page(
    *, after: RowPlace | None, limit: int, environment: str = ""
) -> tuple[list[StatementRecord], RowPlace | None]:
    """At most `limit` files that came before `after`, and the place to go on from."""
    rows = _with_runs(Statement.objects.filter(at_environment(environment)))
    found, further = page_of(rows, by="at", after=after, limit=limit)
    return _records(found), further


def statement_record(number: int) -> StatementRecord | None:
    """One file; None without one."""
    statement = _with_runs(Statement.objects.filter(pk=number)).first()
    if statement is None:
        return None
    [record] = _records([statement])
    if record.application is not None:
        return record
    elsewhere = StatementRun.objects.filter(
        environment=statement.environment,
        receiver=statement.receiver,
        digest=statement.digest,
        purpose=Purpose.APPLY,
    ).first()
    return replace(record, applied_elsewhere=elsewhere)


def statements_to_second(*, environment: str = "") -> int:
    """How many statements wait for a second person by the database's clock: one query."""
    at = Func(function="clock_timestamp", output_field=DateTimeField())
    waiting = {"proposals__status": ProposalStatus.OPEN, "proposals__expires_at__gt": at}
    return Statement.objects.filter(at_environment(environment), **waiting).count()


def rows_page(
    run: StatementRun, outcome: Outcome, *, after: int, limit: int
) -> tuple[Sequence[StatementRow], int]:
    """Rows of a dry run that came to this, behind row `after`; and where to go on, 0 at the end."""
    rows = StatementRow.objects.filter(run=run, outcome=outcome, number__gt=after)
    found = list(rows.select_related("operation").order_by("number")[: limit + 1])
    return found[:limit], found[limit - 1].number if len(found) > limit else 0


def applied_rows_page(
    run: StatementRun, outcome: Outcome, *, after: int, limit: int
) -> tuple[Sequence[StatementRow], int]:
    """The same by what was written for them; each has `why` from its application."""
    applied = AppliedRow.objects.filter(run=run, outcome=outcome, number__gt=after)
    found = list(applied.order_by("number").values_list("number", flat=True)[: limit + 1])
    why = applied.filter(number=OuterRef("number")).values("detail")[:1]
    rows = StatementRow.objects.filter(run=run.rehearsal, number__in=found[:limit])
    shown = rows.select_related("operation").annotate(why=Subquery(why)).order_by("number")
    return list(shown), found[limit - 1] if len(found) > limit else 0


def _with_runs(statements: QuerySet[Statement]) -> QuerySet[Statement]:
    runs = StatementRun.objects.order_by("id")
    proposals = StatementProposal.objects.select_related("proposed_by", "rehearsal")
    return statements.select_related("uploaded_by").prefetch_related(
        Prefetch("runs", queryset=runs),
        Prefetch("proposals", queryset=proposals.order_by("id")),
    )


def _records(statements: Sequence[Statement]) -> list[StatementRecord]:
    found = [_record(statement) for statement in statements]
    ahead = waits_for(one.application for one in found if one.application is not None)
    return [
        replace(one, waits_for=ahead.get(one.application.pk)) if one.application else one
        for one in found
    ]


def _record(statement: Statement) -> StatementRecord:
    last = next(reversed(statement.proposals.all()), None)
    latest = {str(run.purpose): run for run in statement.runs.all()}
    return StatementRecord(
        statement=statement,
        rehearsal=latest.get(Purpose.REHEARSE),
        application=latest.get(Purpose.APPLY),
        proposal=last if last and last.status == ProposalStatus.OPEN else None,
        voided=last if last and last.is_void else None,
    )
