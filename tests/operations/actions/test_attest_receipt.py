"""A person enters the receiver's receipt: exact, judged, seconded, graded as attested."""

import pytest

from operations.actions.attest_receipt import attest_receipt
from operations.actions.find_not_executed import find_not_executed
from operations.actions.second_proposal import second_proposal
from operations.actions.settle_review import settle_review
from operations.models import Receipt
from operations.protocol.refusals import (
    ChoiceClosed,
    InvalidField,
    NotPermitted,
    OwnRequest,
    ReceiptMismatch,
    StaleVersion,
)
from operations.protocol.states import (
    ApprovalStatus,
    Channel,
    Finding,
    Grade,
    Question,
    State,
    Verdict,
)
from reconciliation.actions.reconcile_operation import reconcile_operation
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
    a_manual_unknown,
    an_approver,
    an_operator,
    the_entry,
    the_review,
    typed,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def attest(operation, entered=None, *, actor=None, **given):
    values = {"version": operation.version, "reason": "Their record says so.", **given}
    try:
        return attest_receipt(
            operation_id=operation.pk,
            actor=actor or an_operator(),
            entered=entered or typed(operation),
            **values,
        )
    finally:
        operation.refresh_from_db()


def agree(operation, proposed, *, is_yes=True):
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=is_yes, reason="Called back."
    )
    operation.refresh_from_db()


def test_a_wrong_quantity_is_refused_with_the_difference_and_kept():
    """Show 2 of the main job."""
    operation = a_manual_unknown()
    wrong = typed(operation, fields={"/sku": "vanilla", "/quantity": "5"})
    with pytest.raises(ReceiptMismatch) as refused:
        attest(operation, wrong)
    (found,) = refused.value.members["differences"]
    assert (found["pointer"], found["expected"], found["got"]) == ("/quantity", "6", "5")
    kept = operation.receipts.get()
    assert (kept.channel, kept.verdict) == (Channel.PERSON, Verdict.MISMATCH)
    assert kept.entered_by is not None
    assert b"order desk" in bytes(kept.raw)
    assert operation.state == State.SENT_UNKNOWN
    assert the_entry(operation, "keep_receipt").detail["differences"] == ["/quantity"]


def test_the_right_one_waits_for_a_second_person_and_then_confirms_as_attested():
    operation = a_manual_unknown()
    proposed = attest(operation)
    assert operation.state == State.SENT_UNKNOWN
    agree(operation, proposed)
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.ATTESTED)
    assert operation.effect_id == f"rec-{operation.key}"
    receipt = operation.receipts.get()
    assert receipt.explanation.finding == Finding.CONFIRMED_ATTESTED
    assert the_entry(operation, "confirm").detail["entered_by"] == receipt.entered_by_id


def test_confirming_closes_the_question_of_the_outcome_by_itself():
    operation = a_manual_unknown()
    reconcile_operation(operation_id=operation.pk, holder="w")
    operation.refresh_from_db()
    assert the_review(operation, Question.UNKNOWN_OUTCOME)
    agree(operation, attest(operation))
    assert operation.reviews.get().finding == Finding.SETTLED


def test_what_was_entered_closes_other_findings_until_it_is_explained():
    operation = a_manual_unknown()
    agree(operation, attest(operation), is_yes=False)
    assert operation.state == State.SENT_UNKNOWN
    with pytest.raises(ChoiceClosed) as refused:
        find_not_executed(
            operation_id=operation.pk,
            actor=an_operator(),
            version=operation.version,
            reason="They have nothing.",
            named_answer="Maaike",
        )
    assert refused.value.members["closed_code"] == "unexplained_evidence"


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"operation_key": "order-of-another"}, "operation_id"),
        ({"fields": {"/sku": "vanilla"}}, "/quantity"),
        ({"fields": {"/sku": "vanilla", "/quantity": "six"}}, "/quantity"),
        ({"fields": {"/sku": "Vanilla", "/quantity": "6"}}, "/sku"),
        ({"fields": {"/sku": "vanilla", "/quantity": "true"}}, "/quantity"),
        ({"payload_text": '{"sku":"vanilla","quantity":"6"}'}, "/quantity"),
    ],
)
def test_what_differs_in_any_way_is_refused(given, pointer):
    operation = a_manual_unknown()
    with pytest.raises(ReceiptMismatch) as refused:
        attest(operation, typed(operation, **given))
    assert pointer in {found["pointer"] for found in refused.value.members["differences"]}


@pytest.mark.parametrize("quantity", ["6", "6.0", "0.6e1", " 6 "])
def test_a_number_is_read_by_its_exact_value(quantity):
    operation = a_manual_unknown()
    entered = typed(operation, fields={"/sku": "vanilla", "/quantity": quantity})
    assert attest(operation, entered).proposal is not None


def test_an_amount_is_compared_as_a_decimal_of_its_currency():
    operation = a_manual_unknown(
        kind="payment.refund",
        payload='{"order":"A-1","amount":"50.00","currency":"EUR","reason":"damaged"}',
    )
    fields = {"/order": "A-1", "/amount": "50", "/currency": "EUR", "/reason": "damaged"}
    assert attest(operation, typed(operation, fields=fields)).proposal is not None


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"operation_key": ""}, "operation_key"),
        ({"effect_id": " "}, "effect_id"),
        ({"status": "done"}, "status"),
        ({"evidence": ""}, "evidence"),
        ({"occurred_at": "yesterday"}, "occurred_at"),
        ({"fields": {"/colour": "red"}}, "/colour"),
        ({"fields": {"/sku": "a\x00b"}}, "/sku"),
    ],
)
def test_a_form_that_cannot_be_read_keeps_nothing(given, field):
    operation = a_manual_unknown()
    with pytest.raises(InvalidField) as refused:
        attest(operation, typed(operation, **given))
    assert refused.value.members["field"] == field
    assert not Receipt.objects.exists()


def test_pending_proves_nothing_and_is_kept():
    operation = a_manual_unknown()
    with pytest.raises(ChoiceClosed) as refused:
        attest(operation, typed(operation, status="pending"))
    assert refused.value.members["closed_code"] == "not_proof"
    assert operation.receipts.get().verdict == Verdict.NOT_PROOF


def test_one_effect_confirms_one_operation():
    """Case 48: what a person enters for another operation is refused by its effect id."""
    first, second = a_manual_unknown(), a_manual_unknown()
    agree(first, attest(first, typed(first, effect_id="rec-7")))
    with pytest.raises(ReceiptMismatch) as refused:
        attest(second, typed(second, effect_id="rec-7"))
    assert refused.value.members["differences"][0]["pointer"] == "effect_id"


def test_an_effect_that_was_taken_meanwhile_confirms_nothing():
    first, second = a_manual_unknown(), a_manual_unknown()
    waiting = attest(first, typed(first, effect_id="rec-7"))
    agree(second, attest(second, typed(second, effect_id="rec-7")))
    with pytest.raises(ChoiceClosed) as refused:
        agree(first, waiting)
    assert refused.value.members["closed_code"] in {"effect_taken", "not_proof"}
    waiting.proposal.refresh_from_db()
    assert waiting.proposal.status == ApprovalStatus.OPEN


def test_one_person_is_enough_where_the_profile_says_so(settings):
    configure(settings, second_person=False)
    operation, _ = a_marked_operation()
    done = attest(operation)
    assert done.proposal is None
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.ATTESTED)
    assert operation.receipts.get().verdict == Verdict.CONFIRMED


def test_the_responsible_person_never_decides_alone(settings):
    configure(settings, second_person=False)
    alice = a_person("", "operator")
    operation, _ = a_marked_operation(agent=an_agent(responsible=alice))
    with pytest.raises(OwnRequest):
        attest(operation, actor=as_actor(alice))
    assert operation.state == State.SENT_UNKNOWN
    assert not Receipt.objects.exists()


def test_a_stale_form_is_refused_with_what_changed():
    """Case 116."""
    operation = a_manual_unknown()
    seen = operation.version
    bob = an_operator("bob")
    agree(operation, attest(operation, actor=an_operator("alice")))
    with pytest.raises(StaleVersion) as refused:
        attest(operation, actor=bob, version=seen)
    events = [(row["event"], row["by"]) for row in refused.value.members["changes"]]
    assert events[0] == ("propose", "alice")
    assert events[1][0] == "confirm"
    assert operation.state == State.CONFIRMED


def test_a_double_click_on_a_wrong_one_is_one_piece_of_evidence_and_the_same_answer():
    operation = a_manual_unknown()
    wrong = typed(operation, fields={"/sku": "vanilla", "/quantity": "5"})
    actor, seen = an_operator(), operation.version
    for _ in range(2):
        with pytest.raises(ReceiptMismatch):
            attest(operation, wrong, actor=actor, version=seen, decision_id="form-4")
    assert operation.receipts.count() == 1


def test_nothing_sent_nothing_to_attest():
    operation = an_operation()
    with pytest.raises(ChoiceClosed) as refused:
        attest(operation)
    assert refused.value.members["closed_code"] == "no_attempt"


def test_a_settled_operation_is_not_attested():
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    with pytest.raises(ChoiceClosed) as refused:
        attest(operation)
    assert refused.value.members["closed_code"] == "wrong_state"


def test_a_viewer_cannot_attest():
    operation = a_manual_unknown()
    with pytest.raises(NotPermitted):
        attest(operation, actor=as_actor(a_person("", "viewer")))


def test_whoever_insists_on_a_difference_opens_a_review_with_an_exit():
    operation = a_manual_unknown()
    wrong = typed(operation, fields={"/sku": "vanilla", "/quantity": "5"})
    with pytest.raises(ReceiptMismatch):
        attest(operation, wrong, insists=True)
    review = the_review(operation, Question.RECEIPT_MISMATCH)
    proposed = settle_review(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        review_id=review.pk,
        finding=Finding.CONFIRMED_ATTESTED,
        reason="They shipped five and will ship one more.",
    )
    agree(operation, proposed)
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.ATTESTED)
    assert the_entry(operation, "confirm").detail["differences"] == ["/quantity"]


def test_only_a_source_that_says_all_of_it_makes_an_attested_one_a_receipt():
    operation, _ = a_marked_operation()
    agree(operation, attest(operation))
    whole = a_receipt(operation, effect_id=operation.effect_id)
    lesser = {name: value for name, value in whole.items() if name != "payload"}

    receive(operation, lesser, channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    assert operation.grade == Grade.ATTESTED

    receive(operation, whole, channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    assert operation.grade == Grade.RECEIPT
