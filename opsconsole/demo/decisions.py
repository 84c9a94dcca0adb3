"""What people do in a story: answer, attest, find, release, and agree with each other."""

from typing import Any

from operations.actions.add_note import add_note
from operations.actions.attest_receipt import attest_receipt
from operations.actions.begin_decision import Decided
from operations.actions.compensate_operation import compensate_operation
from operations.actions.decide_approval import decide_approval
from operations.actions.entered_receipt import Entered
from operations.actions.find_not_executed import find_not_executed
from operations.actions.follow_up import FollowUp
from operations.actions.release_operation import release_operation
from operations.actions.settle_review import settle_review
from operations.actions.supersede_operation import supersede_operation
from operations.actions.take_case import take_case
from operations.models import Approval, Review
from operations.protocol.states import ApprovalStatus, Finding, Question
from opsconsole.demo.catalogue import Request
from opsconsole.demo.story import Story


def answer(
    story: Story, person: str, reason: str, *, is_yes: bool = True, after: float = 240
) -> None:
    """A person says yes or no to what is open: the request itself or a proposal."""
    asked = Approval.objects.get(operation=story.operation, status=ApprovalStatus.OPEN)
    with story.moment(after):
        decide_approval(
            approval_id=asked.pk,
            actor=story.cast.person(person),
            is_yes=is_yes,
            reason=reason,
            digest_seen=asked.payload_digest,
        )


def attest(
    story: Story, person: str, *, effect_id: str, evidence: str, reason: str, after: float = 600
) -> None:
    """A person types the receiver's record in; another one has to agree."""
    with story.moment(after):
        attest_receipt(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            entered=Entered(
                operation_key=story.request.key,
                effect_id=effect_id,
                status="confirmed",
                evidence=evidence,
                payload_text=story.request.payload_text,
            ),
            reason=reason,
        )


def find_nothing_happened(
    story: Story, person: str, reason: str, *, named_answer: str = "", after: float = 600
) -> None:
    """A person finds that nothing happened; another one has to agree."""
    with story.moment(after):
        find_not_executed(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            reason=reason,
            named_answer=named_answer,
        )


def release(story: Story, person: str, reason: str, *, after: float = 10) -> None:
    """A person wants exactly one more send; another one has to agree."""
    with story.moment(after):
        release_operation(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            reason=reason,
        )


def settle(
    story: Story,
    person: str,
    question: Question,
    finding: Finding,
    reason: str,
    *,
    after: float = 900,
) -> None:
    """A person answers an open review; where that takes two, it is a proposal."""
    review = Review.objects.get(operation=story.operation, question=question, closed_at=None)
    with story.moment(after):
        settle_review(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            review_id=review.pk,
            finding=finding,
            reason=reason,
        )


def note(story: Story, person: str, text: str, *, after: float = 60) -> None:
    """A person leaves a note."""
    with story.moment(after):
        add_note(operation_id=story.operation.pk, actor=story.cast.person(person), text=text)


def take(story: Story, person: str, *, lease_seconds: int, after: float = 30) -> None:
    """A person takes the case."""
    with story.moment(after):
        take_case(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            lease_seconds=lease_seconds,
        )


def supersede(
    story: Story, person: str, request: Request, reason: str, *, after: float = 1200
) -> Story:
    """A person asks for a new operation in place of one that had no effect; its own story."""
    return _follow_up(story, supersede_operation, person, request, reason, after=after)


def compensate(
    story: Story, person: str, request: Request, reason: str, *, after: float = 7200
) -> Story:
    """A person asks for an operation that makes up for this one; its own story."""
    return _follow_up(story, compensate_operation, person, request, reason, after=after)


def _follow_up(
    story: Story,
    act: Any,
    person: str,
    request: Request,
    reason: str,
    *,
    after: float,
) -> Story:
    with story.moment(after):
        decided: Decided = act(
            operation_id=story.operation.pk,
            actor=story.cast.person(person),
            version=story.now("version"),
            wanted=FollowUp(
                key=request.key,
                kind=request.kind,
                payload_text=request.payload_text,
                goal=request.goal,
            ),
            reason=reason,
        )
    follower = story.another(request)
    if decided.follow_up is None:
        raise LookupError(f"{request.key} was asked for before")
    follower.operation = decided.follow_up
    return follower
