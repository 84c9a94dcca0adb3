"""Exact matches of a statement are carried out, and all else that it says is kept as evidence."""

from datetime import datetime

from django.db import IntegrityError, transaction

from operations import clock, hints
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from reconciliation.actions.apply_row import batch_id
from reconciliation.actions.hold_run import end_run
from reconciliation.models import Statement, StatementRun
from reconciliation.protocol.refusals import AppliedBefore, NotRehearsed
from reconciliation.protocol.statements.passes import Purpose, RunStatus
from reconciliation.protocol.statements.profile import StatementProfile, form_digest


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


def require_newest(statement: Statement, rehearsal_id: int) -> StatementRun:
    """The newest dry run, whose totals people see. Raises NotRehearsed where that is another."""
    newest = statement.runs.filter(purpose=Purpose.REHEARSE).order_by("-id").first()
    if newest is None or newest.pk != rehearsal_id:
        raise NotRehearsed(got="one that a newer dry run replaced")
    return newest


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


def end_application(*, run: StatementRun) -> None:
    """Everything is done; the batch's own entry says what came of it. Raises RunLost."""
    with transaction.atomic(durable=True):
        end_run(run, RunStatus.DONE, fault=None)
        actor = Actor.system(f"statement {run.statement_id}", request_id=batch_id(run))
        _tell("end_statement", run, actor=actor, at=clock.now(), reason="")


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
