"""What a worker does with a receiver's statement: the body of its task, for a pass of each kind."""

from collections.abc import Callable

from django.db import connection

from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.models import Statement, StatementRun
from reconciliation.queries.statement_profiles import statement_profile
from reconciliation.tasks import run_statement
from tests.build import move_back
from tests.campaigns.harness.flows import cast, outside, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.database import as_superuser
from tests.people import PAST_QUARANTINE_SECONDS
from tests.reconciliation.statements.importing import MACHINE, lines_of, rehearsed, staged

OTHER = {"sku": "vanilla", "quantity": 5}


def _staged(payload: dict[str, object] | None) -> tuple[Subject, Statement]:
    """Sent, and its sender died; a file has its row, and one that no operation knows."""
    operation, _ = states.marked("stated")
    receipt = outside.place(operation, payload)
    move_back(operation, PAST_QUARANTINE_SECONDS)
    nobodys = receipt | {"operation_id": cast.a_key("nobody"), "effect_id": cast.a_key("effect")}
    return states.subject(operation), staged(lines_of(receipt, nobodys))


def _compared() -> Subject:
    subject, statement = _staged(None)
    profile = statement_profile(statement.profile, statement.receiver)
    return _with(subject, rehearse_statement(statement=statement, profile=profile))


def _applied(payload: dict[str, object] | None = None) -> Callable[[], Subject]:
    def arrange() -> Subject:
        subject, statement = _staged(payload)
        profile = statement_profile(statement.profile, statement.receiver)
        run = apply_statement(rehearsal=rehearsed(statement), profile=profile, actor=MACHINE)
        return _with(subject, run)

    return arrange


def _with(subject: Subject, run: StatementRun) -> Subject:
    subject.given["run"] = run.pk
    return subject


def _work(subject: Subject) -> str:
    run_statement(str(subject.given["run"]))
    return StatementRun.objects.get(pk=subject.given["run"]).status


def _next_worker(subject: Subject) -> str:
    """One that comes once the lease of a killed one is over."""
    with as_superuser(connection) as cursor:
        cursor.execute("UPDATE reconciliation_statementrun SET lease_until = now()")
    return _work(subject)


def _flow(name: str, arrange: Callable[[], Subject]) -> Flow:
    name = f"reconcile {name}"
    # One statement of a receiver is applied at a time.
    return Flow(
        name=name,
        role=Role.RECONCILER,
        arrange=arrange,
        act=_work,
        again=_next_worker,
        is_alone=True,
    )


FLOWS = (
    _flow("a statement, to a dry run", _compared),
    _flow("a statement, to a match", _applied()),
    _flow("a statement, to a mismatch", _applied(OTHER)),
)
