"""People at work: who they are, and the states that they are asked about."""

from typing import Any

from django.contrib.auth.models import User

from operations import clock
from operations.actions.entered_receipt import Entered
from operations.actions.take_slot import enter_claim, take_slot
from operations.actors import Actor
from operations.models import Approval, AuditEntry, Lookup, Operation, Review
from operations.protocol.states import ApprovalStatus, ApprovalSubject, Purpose, Question
from operations.receivers.base import NotFound
from reconciliation.actions.lookup_row import Asked
from reconciliation.actions.record_lookup import record_lookup
from tests.build import a_marked_operation, a_person, a_receipt, as_actor, move_back, receive

# In opsconsole.toml: delivery delay and lookup lag of the sandbox, after the send deadline.
PAST_QUARANTINE_SECONDS = 60


def an_operator(name: str = "") -> Actor:
    """Somebody who may settle."""
    return as_actor(a_person(name, "operator"))


def an_approver(name: str = "") -> Actor:
    """Somebody who may approve and second."""
    return as_actor(a_person(name, "approver"))


def the_user(actor: Actor) -> User:
    """The account of an actor."""
    return User.objects.get(pk=actor.person_id)


def look_up_nothing(operation: Operation) -> Lookup:
    """The reconciler asked the receiver, which has nothing under this key."""
    move_claim_away(operation)
    taken = take_slot(
        operation_id=operation.pk,
        purpose=Purpose.RECONCILE,
        holder="reconciler",
        lease_seconds=30,
    )
    assert taken, "the slot is not free for a reconcile claim"
    operation.refresh_from_db()
    actor = Actor.system("reconciler")
    claim = enter_claim(operation, actor=actor, lease_seconds=30, nonce="")
    asked = Asked(
        operation_id=operation.pk,
        generation=operation.generation,
        token=claim.token,
        asked_at=clock.now(),
    )
    lookup = record_lookup(asked=asked, seen=NotFound(raw=b"", status=404), actor=actor)
    operation.refresh_from_db()
    return lookup


def move_claim_away(operation: Operation) -> None:
    """Let the sender's lease be over."""
    if operation.claim_expires_at and operation.claim_expires_at > clock.now():
        move_back(operation, PAST_QUARANTINE_SECONDS)


def an_unknown_outcome(**given: Any) -> Operation:
    """Sent, past the quarantine, and the receiver has nothing: a person is asked."""
    operation, _ = a_marked_operation(**given)
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    return operation


def a_manual_unknown(**given: Any) -> Operation:
    """Sent to a receiver that can only be telephoned, past the quarantine."""
    operation, _ = a_marked_operation(receiver="manual", **given)
    move_back(operation, PAST_QUARANTINE_SECONDS)
    return operation


def a_mismatch(**given: Any) -> tuple[Operation, Review]:
    """A receipt with another quantity came for something that was sent."""
    operation, _ = a_marked_operation(**given)
    receive(operation, a_receipt(operation, payload={"sku": "vanilla", "quantity": 5}))
    operation.refresh_from_db()
    return operation, the_review(operation, Question.RECEIPT_MISMATCH)


def the_review(operation: Operation, question: Question) -> Review:
    """The open review of that question."""
    return operation.reviews.get(question=question, closed_at=None)


def the_request(operation: Operation) -> Approval:
    """The open request for the operation itself."""
    return operation.approvals.exclude(subject=ApprovalSubject.PROPOSAL).get(
        status=ApprovalStatus.OPEN
    )


def typed(operation: Operation, **given: Any) -> Entered:
    """What an operator types who reads the right record; `given` is typed instead."""
    values: dict[str, Any] = {
        "operation_key": operation.key,
        "effect_id": f"rec-{operation.key}",
        "status": "confirmed",
        "evidence": "order desk, by telephone, 10:04",
        "fields": {"/sku": "vanilla", "/quantity": "6"},
        **given,
    }
    return Entered(**values)


def the_entry(operation: Operation, event: str) -> AuditEntry:
    """The newest audit entry of that event."""
    return AuditEntry.objects.filter(operation=operation, event=event).latest("seq")


def refused_acts(actor: Actor) -> list[str]:
    """The codes of this actor's acts on the access trail, oldest first."""
    entries = AuditEntry.objects.filter(
        stream="access", event="refused_act", actor_id=actor.id
    ).order_by("seq")
    return [entry.detail["code"] for entry in entries]
