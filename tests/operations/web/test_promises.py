"""What a choice says that it will do, and what it asks for, agree with what may come of it."""

import pytest
from django.db import transaction

from operations import clock
from operations.actions.attest_receipt import attest_receipt
from operations.actions.open_review import open_review
from operations.models import Operation
from operations.protocol.refusals import ReceiptMismatch
from operations.protocol.states import ChoiceCode, Question
from tests.browsing import Browser, text_of, the_form
from tests.build import (
    a_marked_operation,
    a_person,
    a_receipt,
    an_operation,
    as_actor,
    receive,
)
from tests.people import a_manual_unknown, a_mismatch, an_operator, typed

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


def test_what_lifts_a_hold_does_not_promise_that_nothing_is_sent(operator) -> None:
    ready, (unknown, _) = an_operation(), a_mismatch()
    lock = {"actor": as_actor(a_person()), "at": clock.now()}
    with transaction.atomic():
        open_review(ready, Question.STALLED, reason="It was claimed 3 times.", **lock)
    for operation, promises_nothing in ((ready, False), (unknown, True)):
        panels = operator.open(operation).context["panels"]
        settle = next(panel for panel in panels if panel.choice.code is ChoiceCode.SETTLE_REVIEW)
        assert ("Sends nothing." in settle.does_not) is promises_nothing
        assert any("may be sent" in does for does in settle.does) is not promises_nothing


def test_making_up_for_an_effect_takes_a_payload_of_its_own(operator) -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    shown = operator.open(operation)
    assert the_form(shown, "compensation").values["payload_text"] == ""
    answer = operator.send(shown, "compensation", key="return-1", reason="delivered twice")
    assert answer.status_code == 422
    assert Operation.objects.count() == 1


def test_a_record_that_only_a_person_read_does_not_prove_that_a_request_left(operator) -> None:
    operation = a_manual_unknown()
    with pytest.raises(ReceiptMismatch):
        attest_receipt(
            operation_id=operation.pk,
            actor=an_operator(),
            version=operation.version,
            entered=typed(operation, fields={"/quantity": "999"}),
            reason="read off the screen",
        )
    left = operator.open(operation).context["window"].stations[1]
    assert left.known != "yes"


def test_a_yes_that_sends_nothing_does_not_speak_of_sending(operator) -> None:
    operation = a_manual_unknown()
    attest_receipt(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        entered=typed(operation),
        reason="read off the screen",
    )
    answer = operator.get("/approvals/")
    assert [card.sent_line for card in answer.context["cards"]] == [""]
    assert "what would be sent now" in text_of(answer)
