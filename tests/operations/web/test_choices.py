"""Each choice of the operation page, from its form to the record."""

import pytest

from operations.models import Explanation, Operation
from operations.protocol.states import Channel, Finding, Question, State
from tests.browsing import Browser, has_form, text_of, the_form
from tests.build import (
    a_marked_operation,
    a_person,
    a_receipt,
    a_refund,
    an_agent,
    an_operation,
    as_actor,
    move_back,
    receive,
)
from tests.people import (
    a_manual_unknown,
    a_mismatch,
    an_unknown_outcome,
    look_up_nothing,
    refused_acts,
    the_entry,
    the_review,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


@pytest.fixture
def second() -> Browser:
    return Browser.of("approver")


def send(browser: Browser, operation: Operation, noun: str, **typed: str):
    return browser.send(browser.open(operation), noun, **typed)


def agree(browser: Browser, operation: Operation):
    proposal = operation.approvals.get(subject="proposal", status="open")
    return send(browser, operation, f"proposals/{proposal.pk}", answer="yes", reason="I agree")


def state_of(operation: Operation) -> str:
    operation.refresh_from_db()
    return operation.state


def test_looking_up_is_due_now_and_sends_nothing(operator) -> None:
    operation, _ = a_marked_operation()
    assert send(operator, operation, "lookup").status_code == 303
    operation.refresh_from_db()
    assert operation.next_try_at is not None
    assert the_entry(operation, "request_lookup").actor_id == str(operator.user.pk)
    assert operation.attempts.count() == 1


def test_release_is_closed_until_the_quarantine_is_over_and_says_when(operator) -> None:
    operation, _ = a_marked_operation()
    shown = operator.open(operation)
    assert not has_form(shown, "release")
    assert "A request may still be in flight until" in text_of(shown)
    assert "choice__opens" in text_of(shown)


def test_a_release_opens_exactly_the_next_generation(operator, second) -> None:
    operation = an_unknown_outcome()
    send(operator, operation, "release", reason="the sandbox never had it")
    assert state_of(operation) == State.SENT_UNKNOWN
    agree(second, operation)
    assert (state_of(operation), operation.generation) == (State.READY, 2)


def test_a_release_that_closed_meanwhile_keeps_what_was_typed(operator) -> None:
    operation = an_unknown_outcome()
    shown = operator.open(operation)
    move_back(operation, 100)  # the lookup is older than a minute now
    answer = operator.send(shown, "release", reason="typed with care")
    assert answer.status_code == 409
    assert "Releasing is closed (no_fresh_lookup)" in text_of(answer)
    assert the_form(answer, "release").values["reason"] == "typed with care"
    look_up_nothing(operation)
    assert operator.send(answer, "release").status_code == 303


def test_not_executed_takes_two_and_a_name_where_nothing_can_be_looked_up(operator, second) -> None:
    operation = a_manual_unknown()
    nameless = send(operator, operation, "finding", reason="no such order")
    assert nameless.status_code == 422
    send(operator, operation, "finding", reason="no such order", named_answer="Ms Okafor, 14:05")
    assert "Ms Okafor, 14:05" in text_of(second.open(operation))
    agree(second, operation)
    assert state_of(operation) == State.NOT_EXECUTED


def test_the_sender_is_gone_when_two_people_say_so(operator, second) -> None:
    operation = a_manual_unknown()
    for person in (operator, second):
        send(person, operation, "closure", generation="1", reason="the host was re-imaged")
    assert operation.attempts.get().gone_records.count() == 2
    assert not has_form(operator.open(operation), "closure")


def test_a_case_is_taken_shown_and_handed_back(operator, second) -> None:
    operation = an_unknown_outcome()
    send(operator, operation, "case", lease_seconds="3600")
    other = Browser.of("operator").open(operation)
    assert f"{operator.user.username} holds this case until" in text_of(other)
    assert not has_form(other, "attestation")
    send(operator, operation, "hand-back")
    assert has_form(Browser.of("operator").open(operation), "attestation")


def test_a_superseding_operation_is_linked_and_waits(operator) -> None:
    operation = an_operation(key="order-1")
    send(operator, operation, "cancellation", reason="wrong size")
    shown = operator.open(operation)
    form = the_form(shown, "supersession")
    assert (form.values["key"], form.values["payload_text"]) == ("", operation.payload_text)
    operator.send(
        shown,
        "supersession",
        key="order-1b",
        payload_text='{"sku":"vanilla","quantity":12}',
        reason="the right size",
    )
    new = Operation.objects.get(key="order-1b")
    assert (new.supersedes, new.state) == (operation, State.AWAITING_APPROVAL)
    assert "replaces this one" in text_of(operator.open(operation))


@pytest.mark.parametrize(
    ("typed", "field"),
    [({"payload_text": "{"}, "payload_text"), ({"key": "ä"}, ""), ({"payload_text": "{}"}, "")],
)
def test_a_new_operation_that_can_not_be_is_refused_with_the_text_kept(
    operator, typed, field
) -> None:
    operation = an_operation()
    send(operator, operation, "cancellation", reason="wrong size")
    answer = send(operator, operation, "supersession", **{"key": "new", "reason": "x", **typed})
    assert answer.status_code in (400, 422)
    assert the_form(answer, "supersession").values["reason"] == "x"
    assert Operation.objects.count() == 1


def test_making_up_for_an_effect_answers_its_review(operator) -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    receive(operation, a_receipt(operation))
    review = the_review(operation, Question.DUPLICATE_EFFECT)
    send(
        operator,
        operation,
        "compensation",
        key="return-1",
        kind="supplier.order",
        payload_text='{"sku":"return of vanilla","quantity":6}',
        review_id=str(review.pk),
        reason="they delivered twice",
    )
    review.refresh_from_db()
    assert (review.finding, Operation.objects.get(key="return-1").compensates) == (
        Finding.COMPENSATE,
        operation,
    )


def test_a_mismatch_that_is_anothers_is_settled_with_its_reason(operator) -> None:
    operation, review = a_mismatch()
    shown = operator.open(operation)
    assert the_form(shown, f"reviews/{review.pk}").empty.count("finding") == 2
    operator.send(shown, f"reviews/{review.pk}", finding="not_ours", reason="order of branch 4")
    review.refresh_from_db()
    assert (review.finding, review.closing_reason) == (Finding.NOT_OURS, "order of branch 4")


def test_a_mismatch_that_is_ours_takes_two_people(operator, second) -> None:
    operation, review = a_mismatch()
    send(
        operator,
        operation,
        f"reviews/{review.pk}",
        finding="confirmed_attested",
        reason="they had only five left",
    )
    assert state_of(operation) == State.SENT_UNKNOWN
    agree(second, operation)
    assert state_of(operation) == State.CONFIRMED


def test_a_finding_that_is_no_exit_can_not_be_sent(operator) -> None:
    operation, review = a_mismatch()
    answer = send(operator, operation, f"reviews/{review.pk}", finding="reversed", reason="x")
    assert answer.status_code == 422
    review.refresh_from_db()
    assert review.closed_at is None


def test_a_review_that_is_settled_by_now_is_told_at_the_top(operator) -> None:
    operation, review = a_mismatch()
    shown = operator.open(operation)
    other = Browser.of("operator")
    send(other, operation, f"reviews/{review.pk}", finding="not_ours", reason="branch 4")
    answer = operator.send(shown, f"reviews/{review.pk}", finding="not_ours", reason="mine")
    assert answer.status_code == 422
    assert "settled or withdrawn by now" in text_of(answer)


def test_evidence_is_set_aside_by_two(operator, second) -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, status="pending"), channel=Channel.WEBHOOK)
    receipt = operation.receipts.get()
    send(
        operator,
        operation,
        "explanation",
        evidence=f"receipt-{receipt.pk}",
        finding="stands",
        reason="an early word of the same order",
    )
    agree(second, operation)
    assert Explanation.objects.get(receipt=receipt).finding == Finding.STANDS


@pytest.mark.parametrize(("htmx", "status"), [(False, 403), (True, 409)])
def test_the_responsible_person_has_no_buttons_and_is_refused_all_the_same(
    operator, htmx, status
) -> None:
    owner = Browser(a_person("", "operator"))
    operation = an_unknown_outcome(agent=an_agent(responsible=owner.user))
    send(operator, operation, "release", reason="the sandbox never had it")
    proposal = operation.approvals.get(subject="proposal")
    shown = owner.open(operation)
    assert not has_form(shown, f"proposals/{proposal.pk}")
    note = the_form(shown, "note").values
    answer = owner.client.post(
        f"/operations/{operation.pk}/proposals/{proposal.pk}/",
        note | {"version": str(proposal.version_seen), "answer": "yes", "reason": "mine"},
        headers={"HX-Request": "true"} if htmx else {},
    )
    assert (answer.status_code, state_of(operation)) == (status, State.SENT_UNKNOWN)
    assert "Nobody decides on their own request" in text_of(answer)
    assert refused_acts(as_actor(owner.user)) == ["own_request"]


def test_a_request_is_answered_beside_its_evidence(second) -> None:
    operation = a_refund("150.00")
    request = operation.approvals.get()
    assert "refunds from 100" in text_of(second.open(operation))
    answer = send(second, operation, f"requests/{request.pk}", answer="yes", reason="see ticket 9")
    assert (answer.status_code, state_of(operation)) == (303, State.READY)
    shown = second.open(operation)
    assert "Approved. It may be sent once" in text_of(shown)
    assert not has_form(shown, f"requests/{request.pk}")


@pytest.mark.parametrize(
    ("answer", "told"),
    [("yes", "Your yes is kept. More people"), ("no", "the operation is now: cancelled")],
)
def test_an_answer_that_is_not_the_last_yes_says_so(second, answer, told) -> None:
    operation = a_refund("1500.00")  # takes two
    request = operation.approvals.get()
    shown = second.open(operation)
    answered = second.send(shown, f"requests/{request.pk}", htmx=True, answer=answer, reason="x")
    assert answered.status_code == 200
    assert told in text_of(answered)


def test_who_asked_has_no_answer_to_give() -> None:
    owner = Browser(a_person("", "approver"))
    operation = a_refund("150.00", agent=an_agent(responsible=owner.user))
    request = operation.approvals.get()
    shown = owner.open(operation)
    assert not has_form(shown, f"requests/{request.pk}")
    assert "nobody decides on their own request" in text_of(shown)


def test_an_operator_without_the_role_is_told_which_it_takes(operator) -> None:
    operation = a_refund("150.00")
    shown = operator.open(operation)
    assert not has_form(shown, f"requests/{operation.approvals.get().pk}")
    assert "It takes the role approver." in text_of(shown)
