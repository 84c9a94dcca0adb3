"""What a reconciling worker does: the body of its task, for each answer of the receiver."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from operations import clock
from operations.actions.record_receipt import record_receipt
from operations.models import Operation
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from reconciliation.models import LookupGate
from reconciliation.tasks import reconcile_due, reconcile_operation
from tests.build import a_receipt, agent_actor, move_back
from tests.campaigns.harness.flows import outside, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.people import PAST_QUARANTINE_SECONDS

# Past the send deadline, within the delivery delay that `_early` is configured with.
LONG_DELAY_SECONDS = 600


def _sent(word: str, payload: Any = None, *, fault: str = "") -> Callable[[], Subject]:
    """The sender died after its call."""

    def arrange() -> Subject:
        operation, _ = states.marked(word)
        if fault:
            outside.arm(operation.key, fault)
        outside.place(operation, payload)
        return _past(operation)

    return arrange


def _never_sent(**given: Any) -> Callable[[], Subject]:
    return lambda: _past(states.marked("never-sent", **given)[0])


def _reported(*, is_true: bool) -> Callable[[], Subject]:
    """Confirmed by an agent's own word alone."""

    def arrange() -> Subject:
        operation, attempt = states.marked("reported")
        receipt = outside.place(operation) if is_true else a_receipt(operation)
        assert operation.agent is not None
        record_receipt(
            operation_id=operation.pk,
            value=parse_receipt(receipt),
            channel=Channel.RESPONSE,
            raw=dumps(receipt).encode(),
            actor=agent_actor(operation.agent),
            token=attempt.token,
        )
        return _past(operation)

    return arrange


def _without_room() -> Subject:
    """No lookup is left for a minute, which healing waits out."""
    subject = _never_sent()()
    LookupGate.objects.update(next_ask_at=clock.now() + timedelta(minutes=1))
    return subject


def _past(operation: Operation) -> Subject:
    move_back(operation, PAST_QUARANTINE_SECONDS)
    # Not the first lookup there: that one makes the gate, once for ever.
    LookupGate.objects.get_or_create(environment=operation.environment, receiver=operation.receiver)
    return states.subject(operation)


def _reconcile(subject: Subject) -> str:
    reconcile_operation(str(subject.row.pk))
    return "done"


def _reconcile_many(subject: Subject) -> str:
    """As a sweep has it done where many are due: by the receiver, whatever is due there.

    It is one here. The statements are those for many, and which of them are answered together
    hangs on the receiver.
    """
    reconcile_due(subject.row.environment, subject.row.receiver)
    return "done"


def _early(subject: Subject) -> str:
    """A request may still be in flight at this receiver."""
    with outside.configured(delivery_delay_seconds=LONG_DELAY_SECONDS):
        return _reconcile(subject)


def _unreachable(subject: Subject) -> str:
    with outside.configured(url=outside.NOWHERE):
        return _reconcile(subject)


def _held_back(subject: Subject) -> str:
    with outside.configured(lookups_per_minute=1):
        return _reconcile(subject)


def _flow(
    name: str, arrange: Callable[[], Subject], act: Callable[[Subject], str] = _reconcile
) -> Flow:
    return Flow(name=f"reconcile {name}", role=Role.RECONCILER, arrange=arrange, act=act)


def _many(name: str, arrange: Callable[[], Subject]) -> Flow:
    name = f"reconcile what is due {name}"
    act = _reconcile_many
    return Flow(name=name, role=Role.RECONCILER, arrange=arrange, act=act, is_alone=True)


OTHER = {"sku": "vanilla", "quantity": 5}

FLOWS = (
    _flow("to a find", _sent("found")),
    _flow("to a pending one", _sent("pending", fault="pending")),
    _flow("to a mismatch", _sent("differs", OTHER)),
    _flow("to nothing", _never_sent()),
    _flow("to nothing within the quarantine", _never_sent(), _early),
    _flow("where nobody answers", _never_sent(), _unreachable),
    _flow("where there is no room", _without_room, _held_back),
    _flow("where only a person can ask", _never_sent(receiver="manual")),
    _flow("to a corroboration", _reported(is_true=True)),
    _flow("to a contradiction", _reported(is_true=False)),
    _many("to a find", _sent("found")),
    _many("to a mismatch", _sent("differs", OTHER)),
    _many("to a corroboration", _reported(is_true=True)),
)
