"""Every review has an exit, and each exit does what it says and no more."""

import pytest

from operations import clock
from operations.actions.compensate_operation import compensate_operation
from operations.actions.find_not_executed import find_not_executed
from operations.actions.follow_up import FollowUp
from operations.actions.second_proposal import second_proposal
from operations.actions.settle_review import settle_review
from operations.actions.supersede_operation import supersede_operation
from operations.models import Operation
from operations.protocol.choices import choice
from operations.protocol.refusals import ChoiceClosed, InvalidField, NotFound, OwnRequest
from operations.protocol.states import (
    Channel,
    ChoiceCode,
    Finding,
    Grade,
    Question,
    State,
    Verdict,
)
from operations.queries.facts import facts_of
from operations.registry import receiver
from tests.build import (
    a_marked_operation,
    a_person,
    a_receipt,
    an_agent,
    an_operation,
    as_actor,
    receive,
)
from tests.people import (
    a_mismatch,
    an_approver,
    an_operator,
    an_unknown_outcome,
    look_up_nothing,
    move_claim_away,
    the_entry,
    the_review,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def settle(operation, question, finding, *, actor=None, **given):
    review = the_review(operation, question)
    done = settle_review(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        review_id=review.pk,
        finding=finding,
        reason="Asked the receiver.",
        **given,
    )
    operation.refresh_from_db()
    review.refresh_from_db()
    return done, review


def agree(operation, proposed):
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Asked too."
    )
    operation.refresh_from_db()


def is_open(operation, code):
    profile = receiver(operation.receiver, operation.environment).profile
    return choice(code, facts_of(operation), profile, clock.now()).is_open


def confirmed(**given) -> Operation:
    operation, _ = a_marked_operation(**given)
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    return operation


def not_executed(settings) -> Operation:
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    find_not_executed(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
    )
    configure(settings, second_person=True)
    operation.refresh_from_db()
    return operation


def test_a_mismatch_that_is_not_ours_is_explained_and_opens_the_other_choices():
    operation, _ = a_mismatch()
    move_claim_away(operation)
    _, review = settle(operation, Question.RECEIPT_MISMATCH, Finding.NOT_OURS)
    assert (review.finding, review.closing_reason) == (Finding.NOT_OURS, "Asked the receiver.")
    assert operation.receipts.get().explanation.finding == Finding.NOT_OURS
    assert the_entry(operation, "settle_review").detail["finding"] == Finding.NOT_OURS
    look_up_nothing(operation)
    assert is_open(operation, ChoiceCode.RELEASE)


def test_a_mismatch_that_is_not_ours_explains_no_record_that_is_still_pending():
    """One person's word about one receipt opens no release past another (rule 3 c)."""
    operation, _ = a_mismatch()
    receive(operation, a_receipt(operation, status="pending"))
    operation.refresh_from_db()
    settle(operation, Question.RECEIPT_MISMATCH, Finding.NOT_OURS)
    left = operation.receipts.get(explanation=None)
    assert left.verdict == Verdict.NOT_PROOF
    move_claim_away(operation)
    look_up_nothing(operation)
    assert not is_open(operation, ChoiceCode.RELEASE)


def test_a_mismatch_is_confirmed_by_two_as_attested_with_its_differences():
    operation, review = a_mismatch()
    proposed, _ = settle(operation, Question.RECEIPT_MISMATCH, Finding.CONFIRMED_ATTESTED)
    assert operation.state == State.SENT_UNKNOWN
    agree(operation, proposed)
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.ATTESTED)
    entry = the_entry(operation, "confirm")
    assert entry.detail["differences"] == ["/quantity"]
    review.refresh_from_db()
    assert review.finding == Finding.CONFIRMED_ATTESTED


def test_an_effect_that_confirmed_another_is_not_attested_even_by_two():
    other = confirmed()
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, effect_id=other.effect_id))
    operation.refresh_from_db()
    proposed, _ = settle(operation, Question.RECEIPT_MISMATCH, Finding.CONFIRMED_ATTESTED)
    with pytest.raises(ChoiceClosed) as refused:
        agree(operation, proposed)
    assert refused.value.members["closed_code"] == "effect_taken"
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_a_receipt_for_something_never_sent_is_not_ours_and_lets_it_go_on():
    operation = an_operation()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    with pytest.raises(InvalidField, match="not_ours"):
        settle(operation, Question.RECEIPT_MISMATCH, Finding.CONFIRMED_ATTESTED)
    settle(operation, Question.RECEIPT_MISMATCH, Finding.NOT_OURS)
    assert operation.state == State.READY
    assert not operation.receipts.filter(explanation=None).exists()


def test_a_late_receipt_is_corrected_to_confirmed_by_two(settings):
    operation = not_executed(settings)
    receive(operation, a_receipt(operation, effect_id="late-1"))
    operation.refresh_from_db()
    proposed, _ = settle(operation, Question.LATE_RECEIPT, Finding.CORRECTED)
    agree(operation, proposed)
    assert (operation.state, operation.effect_id) == (State.CONFIRMED, "late-1")
    assert operation.grade == Grade.RECEIPT  # the receiver's own lookup named it
    assert the_entry(operation, "correct").state_before == State.NOT_EXECUTED


def test_a_late_receipt_that_is_not_ours_leaves_the_finding(settings):
    operation = not_executed(settings)
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    settle(operation, Question.LATE_RECEIPT, Finding.NOT_OURS)
    assert operation.state == State.NOT_EXECUTED
    assert is_open(operation, ChoiceCode.SUPERSEDE)


def test_a_late_receipt_holds_the_successor_until_people_say_that_it_goes_on(settings):
    operation = not_executed(settings)
    follower = supersede_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        wanted=FollowUp(key=f"{operation.key}-b"),
        reason="Still wanted.",
    ).follow_up
    receive(operation, a_receipt(operation))
    follower.refresh_from_db()
    with pytest.raises(InvalidField, match="not_ours or stands"):
        settle(follower, Question.LATE_RECEIPT, Finding.CORRECTED)
    proposed, _ = settle(follower, Question.LATE_RECEIPT, Finding.STANDS)
    agree(follower, proposed)
    assert not follower.reviews.filter(closed_at=None).exists()
    assert operation.receipts.get().needs_explanation  # the old one's question is its own


def test_saying_that_a_successor_goes_on_explains_none_of_its_own_evidence(settings):
    operation = not_executed(settings)
    follower = supersede_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        wanted=FollowUp(key=f"{operation.key}-b"),
        reason="Still wanted.",
    ).follow_up
    receive(operation, a_receipt(operation))
    receive(follower, a_receipt(follower, status="pending"))
    receive(follower, a_receipt(follower, payload={"sku": "vanilla", "quantity": 5}))
    follower.refresh_from_db()
    proposed, _ = settle(follower, Question.LATE_RECEIPT, Finding.STANDS)
    agree(follower, proposed)
    assert the_review(follower, Question.RECEIPT_MISMATCH)
    assert not follower.receipts.filter(explanation__isnull=False).exists()


def test_a_contradiction_can_stand():
    operation = confirmed()
    receive(operation, a_receipt(operation, status="refused", effect_id=operation.effect_id))
    operation.refresh_from_db()
    settle(operation, Question.CONTRADICTION, Finding.STANDS)
    assert (operation.state, operation.is_reversed) == (State.CONFIRMED, False)


def test_a_reversal_by_the_receiver_is_a_flag_and_the_state_stays():
    operation = confirmed()
    receive(operation, a_receipt(operation, status="refused", effect_id=operation.effect_id))
    operation.refresh_from_db()
    settle(operation, Question.CONTRADICTION, Finding.REVERSED)
    assert (operation.state, operation.is_reversed) == (State.CONFIRMED, True)


def test_a_duplicate_effect_is_compensated_by_a_linked_operation_that_waits_for_approval():
    operation = confirmed()
    receive(operation, a_receipt(operation, effect_id="second-effect"))
    operation.refresh_from_db()
    with pytest.raises(ChoiceClosed, match="no operation that makes up"):
        settle(operation, Question.DUPLICATE_EFFECT, Finding.COMPENSATE)
    review = the_review(operation, Question.DUPLICATE_EFFECT)
    done = compensate_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        wanted=FollowUp(key=f"{operation.key}-undo"),
        reason="One too many.",
        review_id=review.pk,
    )
    review.refresh_from_db()
    assert review.finding == Finding.COMPENSATE
    assert done.follow_up.compensates == operation
    assert done.follow_up.state == State.AWAITING_APPROVAL
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED


def test_a_duplicate_effect_may_be_anothers():
    operation = confirmed()
    receive(operation, a_receipt(operation, effect_id="second-effect"))
    operation.refresh_from_db()
    _, review = settle(operation, Question.DUPLICATE_EFFECT, Finding.NOT_OURS)
    assert review.finding == Finding.NOT_OURS


def test_the_question_of_the_outcome_closes_only_with_the_outcome():
    operation = an_unknown_outcome()
    with pytest.raises(ChoiceClosed) as refused:
        settle(operation, Question.UNKNOWN_OUTCOME, Finding.NOT_OURS)
    assert refused.value.members["closed_code"] == "wrong_state"


def test_a_closed_review_is_not_settled_again():
    operation, review = a_mismatch()
    settle(operation, Question.RECEIPT_MISMATCH, Finding.NOT_OURS)
    with pytest.raises(NotFound):
        settle_review(
            operation_id=operation.pk,
            actor=an_operator(),
            version=operation.version,
            review_id=review.pk,
            finding=Finding.NOT_OURS,
            reason="Again.",
        )


def test_the_responsible_person_does_not_say_whose_effect_it_is():
    alice = a_person("", "operator")
    operation, _ = a_mismatch(agent=an_agent(responsible=alice))
    with pytest.raises(OwnRequest):
        settle(operation, Question.RECEIPT_MISMATCH, Finding.NOT_OURS, actor=as_actor(alice))


def test_a_webhook_alone_never_overwrites_what_people_found(settings):
    operation = not_executed(settings)
    receive(operation, a_receipt(operation), channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    assert operation.state == State.NOT_EXECUTED
    assert the_review(operation, Question.LATE_RECEIPT)
