"""Entering a receipt by hand: never filled in, compared, seconded by another person."""

import pytest
from django.http import HttpResponse

from operations.models import Operation
from operations.protocol.states import Grade, Question, State, Verdict
from tests.browsing import Browser, has_form, text_of, the_form
from tests.build import a_marked_operation
from tests.people import an_unknown_outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


@pytest.fixture
def operation() -> Operation:
    return an_unknown_outcome(key="order-17")


def typed(**given: str) -> dict[str, str]:
    return {
        "operation_key": "order-17",
        "effect_id": "SO-4411",
        "status": "confirmed",
        "value_0": "vanilla",
        "value_1": "6",
        "evidence": "order desk, Ms Okafor, 10:04",
        "reason": "read to me on the telephone",
        **given,
    }


def the_proposal(operation: Operation) -> str:
    return f"proposals/{operation.approvals.get(subject='proposal', status='open').pk}"


def page(browser: Browser, operation: Operation) -> HttpResponse:
    return browser.open(operation)


def test_no_field_is_filled_in(operator, operation) -> None:
    form = the_form(page(operator, operation), "attestation")
    carried = ("csrfmiddlewaretoken", "version", "decision_id")
    assert {
        name: text for name, text in form.values.items() if name not in carried
    } == dict.fromkeys(
        ["operation_key", "effect_id", "value_0", "value_1", "occurred_at", "evidence", "reason"],
        "",
    )
    assert form.empty == ["status"]
    assert "vanilla" not in text_of(operator.open(operation)).split("attestation/")[1][:9000]


def test_a_wrong_quantity_is_refused_with_the_difference_and_what_was_typed(
    operator, operation
) -> None:
    answer = operator.send(page(operator, operation), "attestation", **typed(value_1="7"))
    assert answer.status_code == 422
    text = text_of(answer)
    assert "expected no difference, got 1" in text
    assert '<th scope="row">/quantity</th><td><code>6</code></td><td><code>7</code></td>' in text
    form = the_form(answer, "attestation")
    assert (form.values["value_1"], form.values["evidence"]) == ("7", typed()["evidence"])
    assert operation.receipts.get().verdict == Verdict.MISMATCH


def test_then_the_right_one_is_proposed_seconded_and_confirmed_as_attested(
    operator, operation
) -> None:
    wrong = operator.send(page(operator, operation), "attestation", **typed(value_1="7"))
    proposed = operator.send(wrong, "attestation", value_1="6", status="confirmed")
    assert proposed.status_code == 303
    own = page(operator, operation)
    assert "Proposed: Confirm with effect SO-4411, as attested." in text_of(own)
    assert not has_form(own, the_proposal(operation))
    assert "nobody decides on their own request" in text_of(own)
    second = Browser.of("approver")
    answer = second.send(
        page(second, operation), the_proposal(operation), answer="yes", reason="I called too"
    )
    assert answer.status_code == 303
    operation.refresh_from_db()
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.ATTESTED)
    shown = page(second, operation)
    assert "The operation is now: attested." in text_of(shown)
    assert 'data-grade="attested"' in text_of(shown)
    assert [card.verdict for card in shown.context["receipts"]] == ["confirmed", "mismatch"]


def test_a_second_person_may_say_no(operator, operation) -> None:
    operator.send(page(operator, operation), "attestation", **typed())
    second = Browser.of("operator")
    second.send(
        page(second, operation), the_proposal(operation), answer="no", reason="another order"
    )
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.approvals.get(subject="proposal").status == "rejected"
    assert "What was proposed is not done" in text_of(page(second, operation))


def test_an_answer_without_a_button_is_none(operator, operation) -> None:
    operator.send(page(operator, operation), "attestation", **typed())
    second = Browser.of("operator")
    noun = the_proposal(operation)
    assert second.send(page(second, operation), noun, reason="x").status_code == 422
    assert operation.approvals.get(subject="proposal").given == 0


def test_whoever_insists_on_a_difference_opens_a_review(operator, operation) -> None:
    first = operator.send(page(operator, operation), "attestation", **typed(value_1="7"))
    assert "The record really says so" in text_of(first)
    operator.send(first, "attestation", **typed(value_1="7", insists="on"))
    questions = {review.question for review in operation.reviews.filter(closed_at=None)}
    assert Question.RECEIPT_MISMATCH in questions


def test_nobody_is_asked_to_insist_before_a_difference_was_seen(operator, operation) -> None:
    assert "The record really says so" not in text_of(page(operator, operation))


def test_what_can_not_be_a_time_is_said_at_its_field(operator, operation) -> None:
    answer = operator.send(
        page(operator, operation), "attestation", **typed(occurred_at="yesterday")
    )
    assert answer.status_code == 422
    errors = answer.context["panels"]
    form = next(panel.form for panel in errors if panel.is_unfolded)
    assert list(form.errors) == ["occurred_at"]
    assert operation.receipts.count() == 0


def test_lines_typed_in_a_browser_are_those_of_the_payload(operator) -> None:
    body = "Dear Ms Kaya,\\nyour order left today."
    operation, _ = a_marked_operation(
        key="order-17",
        kind="customer.email",
        payload=f'{{"to":"kaya@example.org","subject":"On its way","body":"{body}"}}',
    )
    operator.send(
        page(operator, operation),
        "attestation",
        **typed(
            value_0="kaya@example.org",
            value_1="On its way",
            value_2="Dear Ms Kaya,\r\nyour order left today.",
        ),
    )
    assert operation.approvals.get(subject="proposal").status == "open"


def test_a_payload_with_many_fields_is_entered_as_json(operator) -> None:
    words = ",".join(f'"w{number}"' for number in range(40))
    operation, _ = a_marked_operation(
        key="order-17",
        kind="customer.email",
        payload=f'{{"to":"a@example.org","subject":"[{"x" * 10}]","body":""}}',
    )
    form = the_form(page(operator, operation), "attestation")
    assert "payload_text" in form.values  # an empty text can't be told from one left out
    answer = operator.send(
        page(operator, operation), "attestation", **typed(payload_text=f'{{"to": [{words}')
    )
    assert answer.status_code == 400
    assert "The JSON is not acceptable" in text_of(answer)
