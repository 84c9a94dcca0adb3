"""What may be done to one operation, each as one act of whoever does it."""

from collections.abc import Callable
from itertools import count
from typing import Any

from operations.actions.cancel_operation import cancel_operation
from operations.actions.claim_operation import claim_operation
from operations.actions.decide_approval import decide_approval
from operations.actions.dispatch_operation import dispatch_operation
from operations.actions.end_attempt import end_attempt
from operations.actions.expire_approvals import expire_approvals
from operations.actions.expire_claims import expire_claims
from operations.actions.follow_up import FollowUp
from operations.actions.give_back_claim import give_back_claim
from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.record_refusal import record_refusal
from operations.actions.register_operation import register_operation
from operations.actions.renew_claim import renew_claim
from operations.actions.request_lookup import request_lookup
from operations.actions.second_proposal import second_proposal
from operations.actions.supersede_operation import supersede_operation
from operations.actions.take_case import take_case
from operations.actors import Actor
from operations.models import Halt
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_receipt, a_registration, agent_actor, receive
from tests.campaigns.harness.flows import cast, outside
from tests.campaigns.harness.flows.flow import Subject

WHY = "Asked the receiver."
LEFT_OVER = 10_000

type Act = Callable[[Subject], Any]


_known: dict[str, Actor] = {}
_numbers = count(1)


def call_everybody() -> None:
    """Make those who act, once: who they are is no part of what they do."""
    _known.clear()
    _known["agent"] = agent_actor(cast.agent())
    for role in ("operator", "approver"):
        for number in (1, 2, 3):
            _known[f"{role}-{number}"] = cast.actor(role, number)


def who(name: str) -> Actor:
    """One of everybody: `agent`, or a role and a number, such as `operator-1`."""
    return _known[name]


def _agent(subject: Subject) -> Actor:
    return _known["agent"]


def claim(subject: Subject) -> Any:
    """The agent asks for the dispatch claim."""
    return claim_operation(
        operation_id=subject.row.pk,
        actor=_agent(subject),
        version=subject.row.version,
        holder="worker",
        lease_seconds=60,
    )


def send(subject: Subject) -> Any:
    """The agent marks, and only then calls the receiver, which counts it."""
    attempt = mark_attempt(
        operation_id=subject.row.pk, actor=_agent(subject), token=subject.given["token"]
    )
    outside.place(subject.row)
    return attempt


def renew(subject: Subject) -> Any:
    """The agent asks for more time."""
    return renew_claim(
        operation_id=subject.row.pk, actor=_agent(subject), token=subject.given["token"]
    )


def give_back(subject: Subject) -> Any:
    """The agent gives its claim back."""
    return give_back_claim(
        operation_id=subject.row.pk, actor=_agent(subject), token=subject.given["token"]
    )


def withdraw(subject: Subject) -> Any:
    """The agent does not want it any more."""
    return cancel_operation(
        operation_id=subject.row.pk,
        actor=_agent(subject),
        version=subject.row.version,
        reason="No longer wanted.",
    )


def register_again(subject: Subject) -> Any:
    """The agent asks again for the same thing."""
    row = subject.row
    same = a_registration(key=row.key, kind=row.kind, payload=row.payload_text)
    return register_operation(actor=_agent(subject), registration=same)


def report(subject: Subject) -> Any:
    """The agent reports the receipt under its token."""
    value = _receipt(subject)
    recorded = record_receipt(
        operation_id=subject.row.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=b"{}",
        actor=_agent(subject),
        token=subject.given["token"],
    )
    return recorded.refusal or recorded


def webhook(subject: Subject) -> Any:
    """The receiver tells of the effect by itself."""
    return receive(subject.row, _receipt(subject), channel=Channel.WEBHOOK)


def refusal(subject: Subject) -> Any:
    """The agent reports a definite no under its token."""
    return record_refusal(
        operation_id=subject.row.pk,
        actor=_agent(subject),
        token=subject.given["token"],
        status=422,
        code="order_refused",
        raw=b"{}",
    )


def end_unknown(subject: Subject) -> Any:
    """The agent reports that it does not know."""
    return end_attempt(
        operation_id=subject.row.pk,
        actor=_agent(subject),
        token=subject.given["token"],
        generation=subject.row.generation,
        outcome="unknown",
        detail="No answer.",
    )


def reconcile(subject: Subject) -> Any:
    """A worker looks it up at the receiver."""
    return reconcile_operation(operation_id=subject.row.pk, holder="worker-1")


def dispatch(subject: Subject) -> Any:
    """A worker sends it."""
    return dispatch_operation(operation_id=subject.row.pk, holder="worker-1")


def ask_for_lookup(subject: Subject) -> Any:
    """An operator asks for a look-up."""
    return request_lookup(operation_id=subject.row.pk, actor=_known["operator-1"])


def take(subject: Subject) -> Any:
    """An operator takes the case."""
    return take_case(
        operation_id=subject.row.pk,
        actor=_known["operator-3"],
        version=subject.row.version,
        lease_seconds=3600,
    )


def sweep_claims(subject: Subject) -> Any:
    """The sweep over leases."""
    return expire_claims(limit=10)


def sweep_approvals(subject: Subject) -> Any:
    """The sweep over requests."""
    return expire_approvals(limit=10)


def halt(subject: Subject) -> Any:
    """Somebody stops dispatch."""
    return halt_dispatch(actor=_known["operator-1"], reason="Something is wrong there.")


def supersede(subject: Subject) -> Any:
    """An operator registers another in its place, each time one of its own."""
    return supersede_operation(
        operation_id=subject.row.pk,
        actor=_known["operator-1"],
        version=subject.row.version,
        wanted=FollowUp(key=f"{subject.key}-{next(_numbers)}"),
        reason="The size was wrong.",
    )


def answer(number: int, *, is_yes: bool) -> Act:
    """An approver's answer to the open request."""

    def act(subject: Subject) -> Any:
        return decide_approval(
            approval_id=subject.given["approval"],
            actor=_known[f"approver-{number}"],
            is_yes=is_yes,
            reason="Checked.",
            digest_seen=subject.row.payload_digest,
        )

    return act


def second(number: int, *, is_yes: bool) -> Act:
    """The second person's answer to the open proposal."""

    def act(subject: Subject) -> Any:
        return second_proposal(
            approval_id=subject.given["approval"],
            actor=_known[f"approver-{number}"],
            is_yes=is_yes,
            reason="Asked there too.",
        )

    return act


def clear_up() -> None:
    """What earlier runs left: dispatch halted, and leases and requests that are over by now.

    A sweep would meet those too: a meeting would be as long as the campaign has run, and no order
    of it would come a second time.
    """
    expire_claims(limit=LEFT_OVER)
    expire_approvals(limit=LEFT_OVER)
    for halted in Halt.objects.filter(lifted_at=None):
        resume_dispatch(halt_id=halted.pk, actor=_known["operator-1"], reason="It was a try.")


def _receipt(subject: Subject) -> dict[str, Any]:
    effect = subject.given.get("effect") or f"effect-{subject.key}"
    return a_receipt(subject.row, effect_id=effect)
