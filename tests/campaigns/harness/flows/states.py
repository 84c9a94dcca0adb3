"""The states that flows begin in, reached by the product's own actions under a flow's own keys."""

from typing import Any

from operations.actions.claim_for_dispatch import claim_for_dispatch
from operations.actions.decide_approval import decide_approval
from operations.actions.find_not_executed import find_not_executed
from operations.actions.follow_up import FollowUp
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_refusal import record_refusal
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.actions.supersede_operation import supersede_operation
from operations.actors import Actor
from operations.models import Approval, Attempt, Operation
from operations.protocol.states import ApprovalSubject, Channel, Executor, Question
from tests.build import (
    a_claim,
    a_marked_operation,
    a_receipt,
    a_refund,
    agent_actor,
    an_operation,
    move_back,
    receive,
)
from tests.campaigns.harness.flows import cast
from tests.campaigns.harness.flows.flow import Subject
from tests.people import PAST_QUARANTINE_SECONDS, look_up_nothing, the_request, the_review

DISPATCHER = Actor.system("dispatcher")


def subject(operation: Operation, **given: Any) -> Subject:
    """The operation as it is now, its people signed in, its agent with a token."""
    operation.refresh_from_db()
    return Subject(key=operation.key, operation=operation, caller=cast.caller(), given=given)


def ready(word: str, **given: Any) -> Operation:
    """Registered, and nobody has to agree."""
    return an_operation(agent=cast.agent(), key=cast.a_key(word), **given)


def asked(word: str, amount: str = "150.00", **given: Any) -> Operation:
    """A refund that waits for its approval."""
    return a_refund(amount, agent=cast.agent(), key=cast.a_key(word), **given)


def marked(word: str, **given: Any) -> tuple[Operation, Attempt]:
    """Sent by its agent, as far as anybody knows."""
    return a_marked_operation(agent=cast.agent(), key=cast.a_key(word), **given)


def approve(operation: Operation, *, number: int = 1) -> None:
    """One approver says yes."""
    request = the_request(operation)
    decide_approval(
        approval_id=request.pk,
        actor=cast.actor("approver", number),
        is_yes=True,
        reason="Checked.",
        digest_seen=request.payload_digest,
    )
    operation.refresh_from_db()


def unknown(word: str, **given: Any) -> Operation:
    """Past the quarantine, and the receiver has nothing: a person is asked."""
    return _nothing_there(marked(word, **given)[0])


def confirmed(word: str, **given: Any) -> Operation:
    """Confirmed by the receiver's own word."""
    operation, _ = marked(word, **given)
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    return operation


def refused(word: str, **given: Any) -> Operation:
    """The receiver said a definite no."""
    operation, attempt = marked(word, **given)
    assert operation.agent is not None
    record_refusal(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        status=422,
        code="order_refused",
        raw=b"{}",
    )
    operation.refresh_from_db()
    return operation


def proposed(operation: Operation) -> Approval:
    """The open proposal."""
    return operation.approvals.get(subject=ApprovalSubject.PROPOSAL, status="open")


def not_executed(word: str) -> Operation:
    """Two people found that nothing happened."""
    operation = unknown(word)
    decided = find_not_executed(
        operation_id=operation.pk,
        actor=cast.actor("operator"),
        version=operation.version,
        reason="Nothing there.",
    )
    _agree(decided.proposal, operation)
    return operation


def propose_release(operation: Operation) -> Approval:
    """An operator proposes one more send."""
    release_operation(
        operation_id=operation.pk,
        actor=cast.actor("operator"),
        version=operation.version,
        reason="The sender died before its call.",
    )
    operation.refresh_from_db()
    return proposed(operation)


def released(word: str, **given: Any) -> Operation:
    """Generation 2: ready again by two people's word."""
    operation = unknown(word, **given)
    _agree(propose_release(operation), operation)
    return operation


def released_refund(word: str) -> Operation:
    """Generation 2 of what needs approval: it waits for a new yes."""
    operation = unknown_refund(word)
    _agree(propose_release(operation), operation)
    return operation


def unknown_refund(word: str) -> Operation:
    """A refund that was approved and sent, and of which the receiver has nothing."""
    operation = asked(word)
    approve(operation)
    token = claimed(operation, lease_seconds=60)
    assert operation.agent is not None
    mark_attempt(operation_id=operation.pk, actor=agent_actor(operation.agent), token=token)
    return _nothing_there(operation)


def manual_unknown(word: str) -> Operation:
    """Sent to a receiver that can only be telephoned, past the quarantine."""
    operation, _ = marked(word, receiver="manual")
    move_back(operation, PAST_QUARANTINE_SECONDS)
    return operation


def claim_for_console(operation: Operation) -> int:
    """The dispatcher's claim: its token. It was due, and nobody held it."""
    claim = claim_for_dispatch(operation_id=operation.pk, holder="worker-1", actor=DISPATCHER)
    assert claim is not None
    return claim.token


def unknown_console(word: str) -> Operation:
    """Marked by a dispatcher that died before its call, past the quarantine."""
    operation = ready(word, executor=Executor.CONSOLE)
    mark_attempt(operation_id=operation.pk, actor=DISPATCHER, token=claim_for_console(operation))
    return _nothing_there(operation)


def released_console(word: str) -> Operation:
    """Generation 2 of what the console sends, due."""
    operation = unknown_console(word)
    _agree(propose_release(operation), operation)
    return operation


def supersede(operation: Operation) -> Operation:
    """An operator registers another in its place."""
    new = supersede_operation(
        operation_id=operation.pk,
        actor=cast.actor("operator"),
        version=operation.version,
        wanted=FollowUp(key=f"{operation.key}-new"),
        reason="The size was wrong.",
    ).follow_up
    assert new is not None
    return new


def reviewed(operation: Operation, question: Question) -> int:
    """The id of its open review of that question."""
    operation.refresh_from_db()
    return the_review(operation, question).pk


def late(operation: Operation, **given: Any) -> Operation:
    """A webhook with an effect comes for an operation that is settled without one."""
    receive(operation, a_receipt(operation, **given), channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    return operation


def claimed(operation: Operation, *, lease_seconds: int = 110) -> int:
    """Its agent's claim: the token. The lease is over after one step of healing, and not before."""
    return a_claim(operation, lease_seconds=lease_seconds).token


def _nothing_there(operation: Operation) -> Operation:
    operation.refresh_from_db()
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    return operation


def _agree(proposal: Approval | None, operation: Operation) -> None:
    assert proposal is not None
    second_proposal(
        approval_id=proposal.pk,
        actor=cast.actor("approver"),
        is_yes=True,
        reason="Asked there too.",
    )
    operation.refresh_from_db()
