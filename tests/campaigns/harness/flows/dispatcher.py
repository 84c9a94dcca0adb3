"""What a dispatching worker does: the body of its task, in each way that it can end."""

from collections.abc import Callable
from typing import Any

from operations.protocol.states import Executor
from operations.registry import profile_of
from operations.tasks import dispatch_operation
from tests.build import move_back
from tests.campaigns.harness.flows import outside, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject

PAST_THE_YES_SECONDS = 1000
CONSOLE = Executor.CONSOLE


def _due(word: str, fault: str = "", **more: Any) -> Callable[[], Subject]:
    def arrange() -> Subject:
        operation = states.ready(word, executor=CONSOLE)
        if fault:
            outside.arm(operation.key, fault, **more)
        return states.subject(operation)

    return arrange


def _approved() -> Subject:
    operation = states.asked("approved", executor=CONSOLE)
    states.approve(operation)
    return states.subject(operation)


def _yes_ran_out() -> Subject:
    operation = states.asked("ran-out", executor=CONSOLE)
    states.approve(operation)
    move_back(operation, PAST_THE_YES_SECONDS)
    return states.subject(operation)


def _released() -> Subject:
    return states.subject(states.released_console("again"))


def _claimed_too_often() -> Subject:
    operation = states.ready("too-often", executor=CONSOLE)
    for _ in range(profile_of(operation).claims_before_stalled):
        states.claim_for_console(operation)
        move_back(operation, 60)
    return states.subject(operation)


def _not_due() -> Subject:
    operation = states.ready("not-due", executor=CONSOLE)
    states.claim_for_console(operation)
    return states.subject(operation)


def _dispatch(subject: Subject) -> str:
    dispatch_operation(str(subject.row.pk))
    return "done"


def _elsewhere(subject: Subject) -> str:
    """The receiver's address is another by now, so the stored request can not leave."""
    with outside.configured(url=outside.NOWHERE):
        return _dispatch(subject)


def _flow(
    name: str,
    arrange: Callable[[], Subject],
    *ends: str,
    act: Callable[[Subject], str] = _dispatch,
) -> Flow:
    may_end = frozenset(ends) if ends else None
    return Flow(
        name=f"dispatch {name}", role=Role.DISPATCHER, arrange=arrange, act=act, may_end=may_end
    )


SENT = "confirmed, 1 request, 1 effect"
NEVER_LEFT = "sent_unknown, 0 requests, 0 effects, unknown_outcome"
STALLED = "ready, 0 requests, 0 effects, stalled"
FOUND_NOTHING = "sent_unknown, 1 request, 0 effects, unknown_outcome"

FLOWS = (
    _flow("what is due", _due("due"), SENT, NEVER_LEFT),
    _flow("what was approved", _approved, SENT, NEVER_LEFT),
    _flow("generation 2", _released, SENT, NEVER_LEFT),
    _flow(
        "to a refusal",
        _due("refused", "refuse", times=9),
        "refused, 1 request, 0 effects",
        NEVER_LEFT,
        FOUND_NOTHING,
    ),
    _flow("to a lost reply", _due("lost", "lose_reply", times=9), SENT, NEVER_LEFT),
    # Nobody but a person closes the question that "duplicate" opens, confirmed or not.
    _flow(
        "to a duplicate",
        _due("duplicate", "duplicate", times=9),
        SENT,
        f"{SENT}, duplicate_answer",
        NEVER_LEFT,
    ),
    _flow("to an answer that is no receipt", _due("x", "garbage_reply", times=9), SENT, NEVER_LEFT),
    _flow(
        "to another payload",
        _due("changed", "change_payload", times=9),
        "sent_unknown, 1 request, 1 effect, receipt_mismatch",
        NEVER_LEFT,
    ),
    _flow("when the yes ran out", _yes_ran_out),
    _flow("what is claimed already", _not_due, SENT),
    _flow("what was claimed too often", _claimed_too_often),
    # Healed, the address is the old one again, and whoever died before it noticed lets it be sent.
    _flow("to an address that is gone", _due("moved"), SENT, STALLED, act=_elsewhere),
)
