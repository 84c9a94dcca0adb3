"""People take cases, hand them back and leave notes."""

from uuid import uuid4

import pytest

from operations.actions.add_note import add_note
from operations.actions.find_not_executed import find_not_executed
from operations.actions.hand_back_case import hand_back_case
from operations.actions.take_case import take_case
from operations.models import Claim, Note
from operations.protocol.refusals import (
    CaseHeld,
    ChoiceClosed,
    InvalidField,
    NotFound,
    NotPermitted,
    StaleVersion,
)
from operations.protocol.states import ClaimEnd, Slot, State
from tests.build import a_person, a_receipt, as_actor, move_back, receive
from tests.people import (
    an_approver,
    an_operator,
    an_unknown_outcome,
    refused_acts,
    the_entry,
)

pytestmark = pytest.mark.django_db


def take(operation, actor, **given):
    taken = take_case(
        operation_id=operation.pk, actor=actor, **{"version": operation.version, **given}
    )
    operation.refresh_from_db()
    return taken


def ledger(operation):
    return list(
        Claim.objects.filter(operation=operation, slot=Slot.REVIEW)
        .order_by("token")
        .values_list("holder", "end")
    )


def test_taking_a_case_shows_who_has_it_and_leaves_the_version():
    operation = an_unknown_outcome()
    version = operation.version
    take(operation, an_operator("olga"))
    assert operation.review_holder.username == "olga"
    assert operation.version == version
    assert ledger(operation) == [("olga", "")]
    assert the_entry(operation, "take_case").token == operation.review_token


def test_its_token_comes_from_the_counter_of_all_claims():
    operation = an_unknown_outcome()
    take(operation, an_operator())
    assert operation.review_token > operation.claim_token


def test_another_person_learns_who_has_it_and_until_when():
    operation = an_unknown_outcome()
    take(operation, an_operator("olga"))
    with pytest.raises(CaseHeld) as refused:
        take(operation, an_operator())
    assert refused.value.code == "already_claimed"
    assert refused.value.members["holder"] == "olga"
    assert refused.value.members["until"] == operation.review_expires_at


def test_a_lease_that_ran_out_can_be_taken_by_another():
    operation = an_unknown_outcome()
    take(operation, an_operator("olga"))
    move_back(operation, 901)
    take(operation, an_operator("otto"))
    assert ledger(operation) == [("olga", ClaimEnd.EXPIRED), ("otto", "")]


def test_taking_it_again_gives_more_time_under_the_same_token():
    operation, olga = an_unknown_outcome(), an_operator()
    take(operation, olga)
    before = (operation.review_token, operation.review_expires_at)
    take(operation, olga, lease_seconds=3600)
    assert operation.review_token == before[0]
    assert operation.review_expires_at > before[1]
    assert len(ledger(operation)) == 1


def test_a_case_that_is_handed_back_is_free_at_once():
    operation, olga = an_unknown_outcome(), an_operator("olga")
    take(operation, olga)
    hand_back_case(operation_id=operation.pk, actor=olga)
    take(operation, an_operator("otto"))
    assert ledger(operation) == [("olga", ClaimEnd.GIVEN_BACK), ("otto", "")]


def test_only_its_holder_hands_a_case_back():
    operation = an_unknown_outcome()
    take(operation, an_operator())
    with pytest.raises(CaseHeld):
        hand_back_case(operation_id=operation.pk, actor=an_operator())


def test_nobody_hands_back_what_nobody_has():
    with pytest.raises(ChoiceClosed):
        hand_back_case(operation_id=an_unknown_outcome().pk, actor=an_operator())


def test_the_holder_decides_and_keeps_the_case_while_a_second_person_is_not_needed():
    operation, olga = an_unknown_outcome(), an_operator()
    take(operation, olga)
    add_note(operation_id=operation.pk, actor=olga, text="Called, nobody there.")
    operation.refresh_from_db()
    assert operation.review_holder_id == olga.person_id


def test_proposing_lets_go_of_the_case_so_that_the_second_person_can_answer():
    operation, olga = an_unknown_outcome(), an_operator("olga")
    take(operation, olga)
    find_not_executed(
        operation_id=operation.pk, actor=olga, version=operation.version, reason="Nothing there."
    )
    operation.refresh_from_db()
    assert operation.review_holder is None
    assert ledger(operation) == [("olga", ClaimEnd.FINISHED)]


def test_a_taken_case_never_blocks_evidence():
    operation = an_unknown_outcome()
    take(operation, an_operator())
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED


def test_a_stale_page_takes_no_case():
    operation = an_unknown_outcome()
    with pytest.raises(StaleVersion):
        take(operation, an_operator(), version=operation.version - 1)


def test_what_asks_nothing_of_a_person_is_not_taken():
    operation = an_unknown_outcome()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    with pytest.raises(ChoiceClosed):
        take(operation, an_operator())


@pytest.mark.parametrize("seconds", [59, 28_801])
def test_a_case_is_taken_for_a_minute_to_eight_hours(seconds):
    with pytest.raises(InvalidField):
        take(an_unknown_outcome(), an_operator(), lease_seconds=seconds)


def test_an_approver_does_not_take_cases_but_may_leave_a_note():
    operation, approver = an_unknown_outcome(), an_approver()
    with pytest.raises(NotPermitted):
        take(operation, approver)
    note = add_note(operation_id=operation.pk, actor=approver, text="Ask about the invoice.")
    assert note.person_id == approver.person_id
    assert refused_acts(approver) == ["not_permitted"]


def test_a_note_changes_nothing_and_is_on_the_trail():
    operation, olga = an_unknown_outcome(), an_operator()
    version = operation.version
    add_note(operation_id=operation.pk, actor=olga, text="  They call back at two.  ")
    operation.refresh_from_db()
    assert operation.version == version
    assert Note.objects.get().text == "They call back at two."
    entry = the_entry(operation, "note")
    assert entry.words.reason == "They call back at two."
    assert b"call back" not in bytes(entry.body)


def test_a_note_sent_twice_is_one_note():
    operation, olga = an_unknown_outcome(), an_operator()
    for _ in range(2):
        add_note(operation_id=operation.pk, actor=olga, text="Once.", decision_id="form-9")
    assert Note.objects.count() == 1


@pytest.mark.parametrize("text", ["", "   ", "x" * 4001, "a\x00b"])
def test_a_note_has_words(text):
    with pytest.raises(InvalidField):
        add_note(operation_id=an_unknown_outcome().pk, actor=an_operator(), text=text)


def test_a_disabled_account_does_nothing():
    user = a_person("", "operator")
    user.is_active = False
    user.save()
    with pytest.raises(NotPermitted):
        add_note(operation_id=an_unknown_outcome().pk, actor=as_actor(user), text="Hello.")


def test_an_unknown_operation_is_not_found():
    with pytest.raises(NotFound):
        add_note(operation_id=uuid4(), actor=an_operator(), text="Hello.")
