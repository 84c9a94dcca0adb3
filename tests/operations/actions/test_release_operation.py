"""Rule 3 at the commit that opens a generation, and again at its mark."""

import pytest

from operations import clock
from operations.actions.close_attempt import close_attempt
from operations.actions.decide_approval import decide_approval
from operations.actions.end_attempt import end_attempt
from operations.actions.mark_attempt import mark_attempt
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.models import Attempt
from operations.protocol.refusals import ChoiceClosed, Held, OwnRequest, StaleClaim
from operations.protocol.states import (
    ApprovalStatus,
    Cause,
    ChoiceCode,
    Executor,
    Finding,
    Question,
    State,
)
from tests.build import (
    a_claim,
    a_marked_operation,
    a_person,
    a_receipt,
    a_refund,
    agent_actor,
    an_agent,
    as_actor,
    move_back,
    receive,
)
from tests.people import (
    PAST_QUARANTINE_SECONDS,
    an_approver,
    an_operator,
    an_unknown_outcome,
    look_up_nothing,
    the_entry,
    the_request,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def release(operation, actor=None):
    done = release_operation(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        reason="Nothing there; the process died before the call.",
    )
    operation.refresh_from_db()
    return done


def release_by_two(operation):
    proposed = release(operation)
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Seen the log."
    )
    operation.refresh_from_db()


def closed_code(operation):
    with pytest.raises(ChoiceClosed) as refused:
        release(operation)
    return refused.value.members["closed_code"], refused.value.members["opens_at"]


def test_a_release_opens_exactly_the_next_generation_and_closes_the_question():
    operation = an_unknown_outcome()
    release_by_two(operation)
    assert (operation.state, operation.generation) == (State.READY, 2)
    assert operation.reviews.get(question=Question.UNKNOWN_OUTCOME).finding == Finding.RELEASED
    offered = the_entry(operation, "release").detail["offered"]
    assert {"code": ChoiceCode.RELEASE, "is_open": True, "closed_code": None} in offered
    assert not Attempt.objects.filter(operation=operation, generation=2).exists()


def test_one_person_releases_where_the_profile_says_so_and_the_receiver_has_keys(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    assert release(operation).proposal is None
    assert operation.generation == 2


def test_the_responsible_person_does_not_release_alone(settings):
    configure(settings, second_person=False)
    alice = a_person("", "operator")
    operation = an_unknown_outcome(agent=an_agent(responsible=alice))
    with pytest.raises(OwnRequest):
        release(operation, as_actor(alice))


def test_within_the_quarantine_release_is_closed_and_says_when_it_opens():
    operation, attempt = a_marked_operation()
    code, opens_at = closed_code(operation)
    assert code == "quarantine"
    assert (opens_at - attempt.send_deadline_at).total_seconds() == 17


def test_a_lookup_asked_before_the_quarantine_was_over_is_no_ground():
    operation, attempt = a_marked_operation()
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        generation=1,
        outcome="unknown",
        detail="timed out",
    )
    move_back(operation, 12)  # the send deadline is over, the quarantine is not
    look_up_nothing(operation)
    move_back(operation, 20)
    assert closed_code(operation)[0] == "no_fresh_lookup"


def test_a_lookup_of_more_than_a_minute_ago_is_no_ground():
    operation = an_unknown_outcome()
    move_back(operation, 61)
    assert closed_code(operation)[0] == "no_fresh_lookup"


def test_evidence_that_nobody_explained_closes_release():
    operation = an_unknown_outcome()
    receive(operation, a_receipt(operation, status="pending", effect_id=None))
    operation.refresh_from_db()
    assert closed_code(operation)[0] == "unexplained_evidence"


def test_a_receiver_without_keys_needs_the_attempt_closed_by_two(settings):
    configure(settings, deduplicates=False, dedup_window_seconds=None, second_person=False)
    operation = an_unknown_outcome()
    assert closed_code(operation)[0] == "attempt_open"
    for actor in (an_operator(), an_approver()):
        close_attempt(
            operation_id=operation.pk,
            actor=actor,
            version=operation.version,
            generation=1,
            reason="Its host was rebooted.",
        )
    assert closed_code(operation)[0] == "quarantine"  # it may have called just before its end
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    release_by_two(operation)  # two people, whatever the profile says, since no key protects
    assert operation.generation == 2


def test_what_needs_approval_needs_a_new_one_for_the_new_generation():
    operation = approved_and_sent()
    release_by_two(operation)
    assert (operation.state, operation.generation) == (State.AWAITING_APPROVAL, 2)
    request = the_request(operation)
    assert (request.generation, request.round) == (2, 2)
    assert the_entry(operation, "ask_again").state_before == State.READY


def test_the_proposer_of_a_release_does_not_approve_the_new_generation():
    operation = approved_and_sent()
    both = as_actor(a_person("", "operator", "approver"))
    proposed = release(operation, both)
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_operator(), is_yes=True, reason="Agreed."
    )
    operation.refresh_from_db()
    with pytest.raises(OwnRequest):
        approve(operation, both)


def test_a_rejected_new_generation_goes_back_to_unknown_and_is_final():
    operation = approved_and_sent()
    release_by_two(operation)
    approve(operation, an_approver(), is_yes=False)
    assert operation.state == State.SENT_UNKNOWN
    assert the_entry(operation, "turn_back").detail["why"] == Cause.REJECTED
    look_up_nothing(operation)
    assert closed_code(operation)[0] == "rejected"


def test_a_release_that_no_longer_holds_at_its_mark_goes_back(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    release(operation)
    move_back(operation, 61)
    claim = a_claim(operation)
    with pytest.raises(Held):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
        )
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.SENT_UNKNOWN, 2)
    assert operation.attempts.count() == 1


def test_a_late_receipt_confirms_a_released_operation_and_nothing_is_sent_again(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    release(operation)
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert operation.attempts.count() == 1


def test_a_report_under_an_older_claim_ends_the_release_and_makes_a_lookup_due(settings):
    """Rule 3 (c) holds again at the mark; until the receiver is asked nothing can be sent."""
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    release(operation)
    a_claim(operation)
    first = operation.attempts.get()
    with pytest.raises(StaleClaim):
        end_attempt(
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            token=first.token,
            generation=1,
            outcome="unknown",
            detail="The answer came after all.",
        )
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.SENT_UNKNOWN, 2)
    assert operation.next_try_at <= clock.now()
    assert operation.claim_given_back
    assert closed_code(operation)[0] == "unexplained_evidence"


def test_a_receipt_that_settles_nothing_withdraws_the_request_for_the_next_generation():
    operation = approved_and_sent()
    release_by_two(operation)
    request = the_request(operation)
    receive(operation, a_receipt(operation, status="pending"))
    operation.refresh_from_db()
    request.refresh_from_db()
    assert (operation.state, request.status) == (State.SENT_UNKNOWN, ApprovalStatus.VOIDED)


def test_a_review_that_is_open_at_the_mark_after_a_release_sends_it_back(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    release(operation)
    claim = a_claim(operation)
    receive(operation, a_receipt(operation, payload={"sku": "vanilla", "quantity": 5}))
    with pytest.raises(Held):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
        )
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def approve(operation, actor, *, is_yes=True):
    request = the_request(operation)
    decide_approval(
        approval_id=request.pk,
        actor=actor,
        is_yes=is_yes,
        reason="Checked.",
        digest_seen=request.payload_digest,
    )
    operation.refresh_from_db()


def approved_and_sent():
    operation = a_refund(executor=Executor.AGENT)
    approve(operation, an_approver())
    claim = a_claim(operation)
    mark_attempt(operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token)
    operation.refresh_from_db()
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    return operation
