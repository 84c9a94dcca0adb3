"""The finding that nothing happened: on a lookup, or on two people and a named answer."""

import pytest

from operations.actions.find_not_executed import find_not_executed
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.protocol.refusals import ChoiceClosed, InvalidField
from operations.protocol.states import Question, State
from tests.build import a_marked_operation, a_receipt, move_back, receive
from tests.people import (
    a_manual_unknown,
    an_approver,
    an_operator,
    an_unknown_outcome,
    look_up_nothing,
    the_entry,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def find(operation, **given):
    done = find_not_executed(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
        **given,
    )
    operation.refresh_from_db()
    return done


def agree(operation, proposed):
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Asked too."
    )
    operation.refresh_from_db()


def closed_code(operation, **given):
    with pytest.raises(ChoiceClosed) as refused:
        find(operation, **given)
    return refused.value.members["closed_code"]


def test_two_people_find_it_on_a_lookup_that_came_after_the_quarantine():
    operation = an_unknown_outcome()
    agree(operation, find(operation))
    assert operation.state == State.NOT_EXECUTED
    assert not operation.reviews.filter(closed_at=None).exists()
    assert the_entry(operation, "find_not_executed").detail["lookup"]["result"] == "not_found"


def test_one_person_is_enough_where_the_profile_says_so(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    assert find(operation).proposal is None
    assert operation.state == State.NOT_EXECUTED


def test_a_receiver_without_lookup_needs_a_named_answer():
    operation = a_manual_unknown()
    with pytest.raises(InvalidField, match="named_answer"):
        find(operation)
    proposed = find(operation, named_answer="Maaike, order desk, 10:40")
    agree(operation, proposed)
    assert operation.state == State.NOT_EXECUTED


def test_who_answered_at_the_receiver_stays_out_of_the_chain():
    operation = a_manual_unknown()
    find(operation, named_answer="Maaike, order desk, 10:40")
    bodies = operation.audit_entries.values_list("body", flat=True)
    assert not any(b"Maaike" in bytes(body) for body in bodies)


def test_the_quarantine_closes_it_too():
    operation, _ = a_marked_operation()
    assert closed_code(operation) == "quarantine"


def test_an_old_lookup_is_no_ground():
    operation = an_unknown_outcome()
    move_back(operation, 61)
    assert closed_code(operation) == "no_fresh_lookup"


def test_it_is_judged_again_when_the_second_person_agrees():
    operation = an_unknown_outcome()
    proposed = find(operation)
    move_back(operation, 61)
    with pytest.raises(ChoiceClosed) as refused:
        agree(operation, proposed)
    assert refused.value.members["closed_code"] == "no_fresh_lookup"
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_a_late_receipt_after_the_finding_changes_nothing_and_asks_a_person():
    operation = an_unknown_outcome()
    agree(operation, find(operation))
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    assert operation.state == State.NOT_EXECUTED
    assert operation.reviews.get(closed_at=None).question == Question.LATE_RECEIPT


def test_when_the_receivers_window_is_over_nothing_is_sent_and_two_people_may_find_so(settings):
    """Case 5: the key protects no more, so release is closed; what people find has its reason."""
    configure(settings, dedup_window_seconds=86_400, dedup_margin_seconds=300)
    operation, _ = a_marked_operation()
    move_back(operation, 25 * 3600)
    look_up_nothing(operation)
    with pytest.raises(ChoiceClosed) as refused:
        release_operation(
            operation_id=operation.pk,
            actor=an_operator(),
            version=operation.version,
            reason="Send it again.",
        )
    assert refused.value.members["closed_code"] == "window_over"
    assert (operation.state, operation.generation) == (State.SENT_UNKNOWN, 1)
    agree(operation, find(operation))
    assert (operation.state, operation.attempts.count()) == (State.NOT_EXECUTED, 1)
    entry = the_entry(operation, "find_not_executed")
    offered = {choice["code"]: choice["closed_code"] for choice in entry.detail["offered"]}
    assert offered["release"] == "window_over"
    reasons = [each.words.reason for each in operation.audit_entries.exclude(words=None)]
    assert {"Nothing there.", "Asked too."} <= set(reasons)
