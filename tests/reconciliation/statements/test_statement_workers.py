"""Statements through real Celery workers: a sweep finds what no hint told, to its end."""

import pytest

from operations.protocol.states import State
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.protocol.statements.profile import SANDBOX
from tests.build import a_marked_operation, an_agent
from tests.celery_workers import BEAT, broker_fixture, start_fixture, worker_commands
from tests.receiver import eventually
from tests.reconciliation.statements.importing import MACHINE, booked, fresh, lines_of, staged

__all__ = ["broker_fixture", "start_fixture"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.servers,
    pytest.mark.timeout(240),
]

WITHIN_SECONDS = 100


def over(run: StatementRun) -> StatementRun:
    def is_over() -> bool:
        return StatementRun.objects.filter(pk=run.pk, status=RunStatus.DONE).exists()

    assert eventually(is_over, within_seconds=WITHIN_SECONDS), fresh_run(run).status
    return fresh_run(run)


def fresh_run(run: StatementRun) -> StatementRun:
    return StatementRun.objects.get(pk=run.pk)


def test_the_workers_of_up_compare_and_apply_a_statement(start):
    for command in worker_commands():
        start(*command)
    start(*BEAT)
    agent = an_agent()
    operations = [a_marked_operation(agent=agent)[0] for _ in range(3)]
    statement = staged(lines_of(*(booked(each) for each in operations)))
    rehearsal = over(rehearse_statement(statement=statement, profile=SANDBOX))
    assert (rehearsal.counts, rehearsal.row_count) == ({"confirms": 3}, 3)
    run = over(apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE))
    assert run.counts == {"confirms": 3}
    assert [fresh(each).state for each in operations] == [State.CONFIRMED] * 3
