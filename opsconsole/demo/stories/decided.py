"""Settled, or about to be settled, by people, each with another one who agrees."""

from dataclasses import replace

from operations.models import Approval
from operations.protocol.states import ApprovalStatus, Finding, Question
from opsconsole.demo.decisions import (
    answer,
    attest,
    compensate,
    find_nothing_happened,
    note,
    release,
    settle,
)
from opsconsole.demo.stories import settled, unknown
from opsconsole.demo.story import Story

DESK = "Order desk, call with Maaike at 10:40"


def attestation_proposed(story: Story) -> None:
    """An operator read the receiver's record; a second person has to agree."""
    unknown.nothing_came_back(story)
    attest(
        story,
        "operator",
        effect_id=story.record_number(),
        evidence=DESK,
        reason="They have it under this number, with the same goods.",
        after=120,
    )


def attested(story: Story) -> None:
    """The same, and the second person agreed."""
    attestation_proposed(story)
    note(story, "operator", "They send the delivery note tomorrow.")
    answer(story, "operator2", "Called back: the number is right.", after=300)


def attestation_rejected(story: Story) -> None:
    """The same, and the second person did not agree."""
    attestation_proposed(story)
    answer(story, "approver", "That number belongs to another customer.", is_yes=False, after=200)


def not_executed(story: Story) -> None:
    """The order desk says that nothing ever came; two people say so."""
    unknown.nothing_came_back(story)
    find_nothing_happened(
        story,
        "operator2",
        "They have no order under this key.",
        named_answer="Maaike de Wit, order desk, by telephone",
        after=400,
    )
    answer(story, "operator", "Asked by e-mail too: nothing there.", after=500)


def found_missing(story: Story) -> None:
    """The receiver can be looked up and has nothing; two people say so."""
    unknown.nothing_found(story)
    story.look_up(after=200)
    find_nothing_happened(story, "operator", "Nothing there since the first minute.", after=5)
    answer(story, "operator2", "Seen the lookups.", after=30)


def release_proposed(story: Story) -> None:
    """An operator wants one more send; a second person has to agree."""
    unknown.nothing_found(story)
    release(story, "operator2", "The process died before the call, says its log.")


def released(story: Story) -> None:
    """Released by two for one more send, which the agent has not come for yet."""
    release_proposed(story)
    answer(story, "operator", "Seen the log: no call went out.", after=15)


def sent_again(story: Story) -> None:
    """Released by two, sent once more under the same key, and confirmed."""
    released(story)
    story.mark(after=8)
    story.report(story.send())
    story.look_up(after=4)


def compensated(story: Story) -> None:
    """Confirmed and not wanted: another operation, agreed to, makes up for it."""
    settled.answered(story)
    request = replace(
        story.request,
        kind="customer.email",
        key=f"{story.request.key}-return",
        payload={
            "to": "orders@supplier.example",
            "subject": f"Please take back our order {story.request.key}",
            "body": "We ordered this by mistake and will return it unopened.",
        },
        goal="Undo an order that was made by mistake.",
    )
    follower = compensate(story, "operator2", request, "Ordered twice by two branches.")
    answer(follower, "approver", "Agreed with the branch in Lyon.")
    follower.mark(after=30)
    follower.report(follower.send())
    follower.look_up(after=4)


def mismatch_not_ours(story: Story) -> None:
    """A receipt with another payload turned out to be somebody else's; nothing came of ours."""
    settled.reply_lost(story)
    story.receive(
        story.receipt(effect_id=story.record_number(), payload={"sku": "vanilla", "quantity": 7}),
        after=400,
    )
    settle(
        story,
        "operator",
        Question.RECEIPT_MISMATCH,
        Finding.NOT_OURS,
        "The supplier mixed up two customers; confirmed by telephone.",
    )
    _agree(story)


def late_receipt_was_right(story: Story) -> None:
    """Not executed, said two people; then the receiver named the effect, and they corrected it."""
    found_missing(story)
    story.receive(story.receipt(effect_id=story.record_number()), after=5000)
    settle(
        story,
        "operator2",
        Question.LATE_RECEIPT,
        Finding.CORRECTED,
        "Their record came in with the night's batch.",
    )
    _agree(story)


def reversed_by_receiver(story: Story) -> None:
    """Confirmed, and then taken back at the receiver; the record keeps both."""
    settled.answered(story)
    taken_back = story.receipt(effect_id=story.now("effect_id"), status="refused")
    story.receive(taken_back, after=9000)
    settle(
        story,
        "operator",
        Question.CONTRADICTION,
        Finding.REVERSED,
        "The bank returned it: the account is closed.",
    )


def _agree(story: Story) -> None:
    open_ones = Approval.objects.filter(operation=story.operation, status=ApprovalStatus.OPEN)
    if open_ones.exists():
        answer(story, "approver2", "Checked with the receiver's people.", after=300)
