"""Amounts that people type: no form takes decimals that the currency does not have."""

from dataclasses import replace

import pytest

from operations.models import Operation
from operations.protocol.states import State
from tests.browsing import Browser, text_of, the_form
from tests.build import a_marked_operation, a_receipt, an_operation, move_back, receive
from tests.people import PAST_QUARANTINE_SECONDS, look_up_nothing

pytestmark = pytest.mark.django_db

YEN = '{"order":"A-1","amount":"%s","currency":"%s","reason":"damaged"}'
TOO_FINE = "expected at most 0 decimals in JPY, got "


@pytest.fixture(autouse=True)
def without_policies(settings):
    """So that a refund may be sent at once."""
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, policies=())


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


def a_yen_refund(amount: str = "500", currency: str = "JPY") -> dict[str, str]:
    return {"kind": "payment.refund", "payload": YEN % (amount, currency)}


def an_unknown_refund() -> Operation:
    operation, _ = a_marked_operation(key="refund-1", **a_yen_refund())
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    return operation


def attest(operator, operation, *, amount: str, currency: str = "JPY"):
    typed = {
        "operation_key": "refund-1",
        "effect_id": "RF-1",
        "status": "confirmed",
        "value_0": "A-1",
        "value_1": amount,
        "value_2": currency,
        "value_3": "damaged",
        "evidence": "order desk, 10:04",
        "reason": "read to me on the telephone",
    }
    return operator.send(operator.open(operation), "attestation", **typed)


def assert_refused(answer, noun: str, field: str) -> None:
    """At its field, with code, expected, got and remedy."""
    text = text_of(answer)
    assert answer.status_code == 422
    assert TOO_FINE in text
    assert "500.50" in text
    assert '<code class="faint">invalid_payload</code>' in text
    assert "nothing was recorded" in text
    [shown] = [panel for panel in answer.context["panels"] if panel.is_unfolded]
    assert field in shown.form.errors
    assert the_form(answer, noun).values["reason"] != ""


def test_an_amount_with_decimals_that_its_currency_lacks_is_not_attested(operator) -> None:
    operation = an_unknown_refund()
    assert_refused(attest(operator, operation, amount="500.50"), "attestation", "value_1")
    operation.refresh_from_db()
    assert (operation.state, operation.receipts.count()) == (State.SENT_UNKNOWN, 0)


def test_the_amount_on_record_is_attested(operator) -> None:
    operation = an_unknown_refund()
    assert attest(operator, operation, amount="500").status_code == 303
    assert operation.receipts.get().differences == []


def test_an_amount_that_only_differs_is_kept_as_a_mismatch(operator) -> None:
    operation = an_unknown_refund()
    answer = attest(operator, operation, amount="501")
    assert "/amount" in text_of(answer)
    assert operation.receipts.get().verdict == "mismatch"


def test_a_currency_that_is_another_is_kept_as_a_mismatch_by_its_own_decimals(operator) -> None:
    operation = an_unknown_refund()
    attest(operator, operation, amount="500.50", currency="EUR")
    assert [row["pointer"] for row in operation.receipts.get().differences] == [
        "/amount",
        "/currency",
    ]


def test_an_operation_in_place_of_another_takes_no_such_amount(operator) -> None:
    operation = an_operation(**a_yen_refund())
    operator.send(operator.open(operation), "cancellation", reason="wrong sum")
    answer = operator.send(
        operator.open(operation),
        "supersession",
        key="refund-1b",
        payload_text=YEN % ("500.50", "JPY"),
        reason="the right sum",
    )
    assert_refused(answer, "supersession", "payload_text")
    assert Operation.objects.count() == 1


def test_making_up_for_an_effect_takes_no_such_amount(operator) -> None:
    operation, _ = a_marked_operation(**a_yen_refund())
    receive(operation, a_receipt(operation))
    answer = operator.send(
        operator.open(operation),
        "compensation",
        key="refund-1c",
        payload_text=YEN % ("500.50", "JPY"),
        reason="charged back",
    )
    assert_refused(answer, "compensation", "payload_text")
    assert Operation.objects.count() == 1
