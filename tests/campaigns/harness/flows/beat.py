"""What beat has done: the sweeps, which work on whatever is overdue or due."""

from collections.abc import Callable

from operations.protocol.states import Executor
from operations.tasks import sweep_dispatch, sweep_expiries
from reconciliation.tasks import sweep_reconcile
from tests.build import move_back
from tests.campaigns.harness.flows import states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.people import PAST_QUARANTINE_SECONDS


def _lease_over() -> Subject:
    operation = states.ready("lease-over")
    states.claimed(operation, lease_seconds=60)
    move_back(operation, 70)
    return states.subject(operation)


def _lease_over_after_the_mark() -> Subject:
    operation, _ = states.marked("marked")
    move_back(operation, PAST_QUARANTINE_SECONDS)
    return states.subject(operation)


def _request_over() -> Subject:
    operation = states.asked("asked")
    move_back(operation, 3601)
    return states.subject(operation)


def _proposal_over() -> Subject:
    operation = states.unknown("proposed")
    states.propose_release(operation)
    move_back(operation, 1801)
    return states.subject(operation)


def _waits_too_long() -> Subject:
    operation = states.ready("stalled", executor=Executor.CONSOLE)
    move_back(operation, 600)
    return states.subject(operation)


def _due() -> Subject:
    return states.subject(states.ready("due", executor=Executor.CONSOLE))


def _flow(name: str, arrange: Callable[[], Subject], task: Callable[[], None]) -> Flow:
    def act(subject: Subject) -> str:
        task()
        return "done"

    return Flow(name=f"sweep {name}", role=Role.BEAT, arrange=arrange, act=act, is_alone=True)


FLOWS = (
    _flow("a claim that is over", _lease_over, sweep_expiries),
    _flow("a claim that is over after the mark", _lease_over_after_the_mark, sweep_expiries),
    _flow("a request that is over", _request_over, sweep_expiries),
    _flow("a proposal that is over", _proposal_over, sweep_expiries),
    _flow("what waits too long", _waits_too_long, sweep_expiries),
    _flow("what is due to be sent", _due, sweep_dispatch),
    _flow("what is due to be looked up", _lease_over_after_the_mark, sweep_reconcile),
)
