"""Exact matches of a statement are carried out, and all else that it says is kept as evidence."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Count

from operations import clock, hints
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from reconciliation.actions.apply_row import apply_row, batch_id
from reconciliation.actions.attest_row import agreed, attest_row
from reconciliation.actions.hold_run import RunLost, end_run, go_on
from reconciliation.actions.keep_orphans import keep_orphans
from reconciliation.models import AppliedRow, Statement, StatementRow, StatementRun
from reconciliation.protocol.refusals import AppliedBefore, NotRehearsed
from reconciliation.protocol.statements.outcomes import ORPHANS, SETTLED_ROWS, Outcome, Road
from reconciliation.protocol.statements.passes import Purpose, RunStatus
from reconciliation.protocol.statements.profile import StatementProfile, form_digest
from reconciliation.protocol.statements.rows import Row
from reconciliation.queries.statement_matching import Settled
from reconciliation.queries.weigh_rows import (
    WeighedRow,
    contents_of,
    source_of,
    standings_of,
    weigh_rows,
)


def apply_statement(
    *, rehearsal: StatementRun, profile: StatementProfile, actor: Actor, reason: str = ""
) -> StatementRun:
    """An application that waits for a worker, of exactly what was rehearsed, in the caller's
    transaction. A file is applied once, for ever.

    Raises NotRehearsed, and AppliedBefore, whoever did it in whatever form.
    """
    require_rehearsed(rehearsal, profile)
    require_not_applied(rehearsal.statement)
    at = clock.now()
    try:
        with transaction.atomic():
            run = StatementRun.objects.create(
                statement=rehearsal.statement,
                purpose=Purpose.APPLY,
                rehearsal=rehearsal,
                environment=rehearsal.environment,
                receiver=rehearsal.receiver,
                digest=rehearsal.digest,
                form=rehearsal.form,
                opened_at=at,
            )
    except IntegrityError:
        require_not_applied(rehearsal.statement)
        raise
    _tell("apply_statement", run, actor=actor, at=at, reason=reason)
    hints.statement_soon(run.pk)
    return run


def require_rehearsed(rehearsal: StatementRun, profile: StatementProfile) -> None:
    """Raises NotRehearsed unless it is a dry run that is over, in the form declared now."""
    if rehearsal.purpose != Purpose.REHEARSE or rehearsal.status != RunStatus.DONE:
        raise NotRehearsed(got=f"one that is {rehearsal.status}")
    if rehearsal.form != form_digest(profile):
        raise NotRehearsed(got=f"one from before the profile {profile.name} was changed")


def require_not_applied(statement: Statement) -> None:
    """Raises AppliedBefore."""
    done = StatementRun.objects.filter(
        environment=statement.environment,
        receiver=statement.receiver,
        digest=statement.digest,
        purpose=Purpose.APPLY,
    ).first()
    if done is not None:
        raise AppliedBefore(number=done.statement_id, since=done.opened_at)


def apply_rows(*, run: StatementRun, rows: Sequence[Row]) -> None:
    """Carry a batch of rows out: what changes an operation singly, in the order of the file.

    Each in one transaction with its mark, so that whoever takes the run over does nothing twice.
    Raises RunLost.
    """
    first, last = rows[0].number, rows[-1].number
    rehearsed = StatementRow.objects.filter(run=run.rehearsal, number__range=(first, last))
    settled = Counter(
        dict(
            rehearsed.filter(outcome__in=SETTLED_ROWS)
            .values_list("outcome")
            .annotate(count=Count("number"))
        )
    )
    seen = {row.number: row for row in rehearsed.exclude(outcome__in=SETTLED_ROWS)}
    done = set(
        AppliedRow.objects.filter(run=run, number__range=(first, last)).values_list(
            "number", flat=True
        )
    )
    pending = [row for row in rows if row.number in seen and row.number not in done]
    weighed = _weigh(run, pending, seen)
    settled.update(str(one.outcome) for one in weighed if one.outcome in SETTLED_ROWS)
    try:
        _carry_out(run, [one for one in weighed if one.outcome not in SETTLED_ROWS], seen)
    except IntegrityError:
        if _is_lost(run):
            raise RunLost from None
        raise
    written = AppliedRow.objects.filter(run=run, number__range=(first, last))
    counts = Counter(dict(written.values_list("outcome").annotate(count=Count("number"))))
    go_on(run, rows[-1].place, settled + counts)


def end_application(*, run: StatementRun) -> None:
    """Everything is done; the batch's own entry says what came of it. Raises RunLost."""
    with transaction.atomic(durable=True):
        end_run(run, RunStatus.DONE, fault=None)
        actor = Actor.system(f"statement {run.statement_id}", request_id=batch_id(run))
        _tell("end_statement", run, actor=actor, at=clock.now(), reason="")


def _weigh(
    run: StatementRun, pending: Sequence[Row], seen: dict[int, StatementRow]
) -> list[WeighedRow]:
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


def _carry_out(
    run: StatementRun, weighed: Sequence[WeighedRow], seen: dict[int, StatementRow]
) -> None:
    met = keep_orphans(run=run, orphans=[one for one in weighed if one.outcome in ORPHANS])
    if met:
        met = _weigh(run, [one.row for one in met], seen)
    singly = [one for one in weighed if one.outcome not in ORPHANS] + met
    if run.statement.road == Road.MACHINE:
        for one in singly:
            apply_row(run=run, one=one)
        return
    by = agreed(run) if singly else None
    for one in singly:
        assert by is not None
        row = seen[one.row.number]
        was_match = row.outcome == Outcome.CONFIRMS
        attest_row(by=by, one=one, version_seen=row.version_seen if was_match else None)


def _is_lost(run: StatementRun) -> bool:
    """Whether somebody else has taken the run over, so that our own mark was refused."""
    held = StatementRun.objects.filter(pk=run.pk, token=run.token, status=RunStatus.RUNNING)
    return not held.exists()


def _tell(event: str, run: StatementRun, *, actor: Actor, at: datetime, reason: str) -> None:
    statement = run.statement
    append_entry(
        about=None,
        stream=RECEIVERS,
        event=event,
        actor=actor,
        at=at,
        reason=reason,
        detail={
            "statement": statement.pk,
            "run": run.pk,
            "environment": statement.environment,
            "receiver": statement.receiver,
            "road": statement.road,
            "digest": statement.digest,
            "form": run.form,
            "rows": run.row_count,
            "counts": run.counts if event == "end_statement" else rehearsed_counts(run),
        },
    )


def rehearsed_counts(run: StatementRun) -> dict[str, int]:
    """What people, or the machine, went by."""
    return run.rehearsal.counts if run.rehearsal else {}
