"""What keeps the console from sending, and what our own mistakes do: nothing is set back."""

import time
from dataclasses import replace

import pytest
from django.utils.html import escape

from operations import clock
from operations.actions import dispatch_operation as dispatching
from operations.actions.decide_approval import decide_approval
from operations.actions.dispatch_operation import Dispatched
from operations.actions.mark_attempt import mark_attempt
from operations.actions.release_operation import release_operation
from operations.models import Approval, Attempt, Halt, Operation
from operations.protocol.states import AttemptOutcome, Channel, Executor, Question, State
from operations.receivers import sandbox as sandbox_connector
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.browsing import Browser, text_of
from tests.build import (
    a_console_operation,
    a_person,
    a_receipt,
    a_refund,
    an_operation,
    as_actor,
    move_back,
    receive,
)
from tests.dispatching import dispatch, the_end
from tests.people import the_entry
from tests.receiver import (
    configure,
    requests_and_effects,
    sandbox_fixture,
    sandbox_process_fixture,
)

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db

SEND = sandbox_connector.SandboxReceiver.send


def approve(operation: Operation) -> Approval:
    approval = operation.approvals.get()
    decide_approval(
        approval_id=approval.pk,
        actor=as_actor(a_person("", "approver")),
        is_yes=True,
        reason="It is right.",
        digest_seen=operation.payload_digest,
    )
    operation.refresh_from_db()
    assert operation.state == State.READY
    return approval


def release_once_more(operation: Operation) -> None:
    """Past the quarantine, not found at the receiver, released by a person."""
    move_back(operation, 30)
    look(operation)
    release_operation(
        operation_id=operation.pk,
        actor=as_actor(a_person("", "operator")),
        version=operation.version,
        reason="The receiver has nothing.",
    )
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.READY, 2)


def look(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def test_a_mark_that_took_too_long_is_not_followed_by_a_call(sandbox, monkeypatch):
    operation = a_console_operation()

    def slow_mark(**given):
        attempt = mark_attempt(**given)
        time.sleep(attempt.send_within_seconds)
        return attempt

    monkeypatch.setattr(dispatching, "mark_attempt", slow_mark)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert the_end(operation).outcome == AttemptOutcome.NOT_SENT
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_a_mistake_of_ours_while_reading_the_answer_sets_nothing_back(sandbox, monkeypatch):
    """Case 28: no error path makes it ready again; the next worker only looks it up."""
    operation = a_console_operation()

    def broken(raw: bytes) -> None:
        raise ZeroDivisionError("while reading")

    monkeypatch.setattr(sandbox_connector, "read_json_object", broken)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert "ZeroDivisionError" in the_end(operation).detail
    assert dispatch(operation) is Dispatched.NOT_DUE
    monkeypatch.undo()
    move_back(operation, 60)
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert look(operation) is Reconciled.LOOKED_UP
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_mistake_of_ours_while_recording_sets_nothing_back(sandbox, monkeypatch):
    operation = a_console_operation()

    def broken(**given) -> None:
        raise ZeroDivisionError("while recording")

    monkeypatch.setattr(dispatching, "record_outcome", broken)
    with pytest.raises(ZeroDivisionError):
        dispatch(operation)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_the_receiver_gets_the_stored_bytes_under_the_operations_own_key(sandbox, monkeypatch):
    first = a_console_operation(payload='{ "quantity": 6.0e0, "sku": "van\\u0069lla" }')
    second = a_console_operation()
    sent = []

    def kept(self, request, *, deadline_seconds):
        sent.append(request)
        return SEND(self, request, deadline_seconds=deadline_seconds)

    monkeypatch.setattr(sandbox_connector.SandboxReceiver, "send", kept)
    dispatch(first)
    dispatch(second)
    assert [r.body for r in sent] == [bytes(first.request_body), bytes(second.request_body)]
    keys = [r.headers["Idempotency-Key"] for r in sent]
    assert keys == [first.idempotency_key, second.idempotency_key]
    assert (first.state, second.state) == (State.CONFIRMED, State.CONFIRMED)


def test_a_halt_holds_it_back_without_a_claim(sandbox):
    operation = a_console_operation()
    Halt.objects.create(reason="maintenance", at=clock.now(), receiver="sandbox")
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert not operation.claims.exists()
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_a_halt_that_comes_after_the_claim_is_heeded_at_the_mark(sandbox, monkeypatch):
    operation = a_console_operation()

    def halted_mark(**given):
        Halt.objects.create(reason="Ms. Arden said so", at=clock.now())
        return mark_attempt(**given)

    monkeypatch.setattr(dispatching, "mark_attempt", halted_mark)
    assert dispatch(operation) is Dispatched.HELD_BACK
    assert (operation.state, operation.claim_given_back) == (State.READY, True)
    assert operation.next_try_at is not None
    # People's words stay out of the chain, or they could never be erased.
    assert the_entry(operation, "give_back_claim").detail == {"why": "halted"}
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_an_operation_that_waits_for_approval_is_not_sent(sandbox):
    operation = a_refund(executor=Executor.CONSOLE)
    assert operation.state == State.AWAITING_APPROVAL
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_an_agents_own_operation_is_never_the_consoles_to_send(sandbox):
    operation = an_operation()
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_a_receiver_that_moved_gets_nothing_until_a_person_has_looked(sandbox, settings):
    operation = a_console_operation()
    configure(settings, url=sandbox.url.replace("127.0.0.1", "localhost"))
    assert dispatch(operation) is Dispatched.STALLED
    assert (operation.state, operation.next_try_at) == (State.READY, None)
    assert "expected the address as configured now" in operation.reviews.get().reason
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_what_could_not_be_sent_says_so_with_the_reason_and_is_never_an_unknown(sandbox, settings):
    """Case 31: the receiver's address is missing."""
    operation = a_console_operation()
    configure(settings)
    receivers = settings.OPSCONSOLE.receivers
    without = replace(receivers["production", "sandbox"], base_url="")
    settings.OPSCONSOLE = replace(
        settings.OPSCONSOLE, receivers={**receivers, ("production", "sandbox"): without}
    )
    assert dispatch(operation) is Dispatched.STALLED
    reason = operation.reviews.get(question=Question.STALLED).reason
    assert "base_url" in reason
    viewer = Browser.of("viewer")
    shown = text_of(viewer.open(operation))
    assert escape(reason) in shown
    assert "Nothing was sent" in shown
    unknown = viewer.get("/operations/?state=sent_unknown").context["operations"]
    assert list(unknown) == []
    assert (operation.state, operation.attempts.exists()) == (State.READY, False)
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_a_receiver_that_is_not_configured_any_more_stalls_it(sandbox, settings):
    operation = a_console_operation()
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers={})
    assert dispatch(operation) is Dispatched.STALLED
    assert operation.reviews.get().question == Question.STALLED


def test_a_second_generation_sends_the_same_bytes_once_more(sandbox, settings):
    configure(settings, second_person=False)
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=0)
    dispatch(operation)
    release_once_more(operation)
    dispatch(operation)
    assert (operation.state, operation.generation) == (State.CONFIRMED, 2)
    assert requests_and_effects(sandbox, operation) == (2, 1)


def test_a_refusal_after_a_release_is_evidence_and_settles_nothing(sandbox, settings):
    configure(settings, second_person=False)
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=0)
    dispatch(operation)
    release_once_more(operation)
    sandbox.fault(operation.key, "refuse")
    dispatch(operation)
    assert (operation.state, operation.generation) == (State.SENT_UNKNOWN, 2)


def test_a_refund_that_people_approved_is_sent_once(sandbox):
    operation = a_refund(executor=Executor.CONSOLE)
    approval = approve(operation)
    assert dispatch(operation) is Dispatched.CALLED
    assert operation.state == State.CONFIRMED
    assert Attempt.objects.get(operation=operation).approval == approval
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_yes_that_ran_out_before_the_mark_sends_nothing_and_asks_again(sandbox):
    operation = a_refund(executor=Executor.CONSOLE)
    approve(operation)
    move_back(operation, 1000)
    assert dispatch(operation) is Dispatched.HELD_BACK
    assert (operation.state, operation.next_try_at) == (State.AWAITING_APPROVAL, None)
    assert operation.approvals.count() == 2
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_evidence_that_came_after_a_release_is_looked_up_and_nothing_is_sent(sandbox, settings):
    configure(settings, second_person=False)
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=0)
    dispatch(operation)
    release_once_more(operation)
    receive(operation, a_receipt(operation, status="pending"), channel=Channel.WEBHOOK)
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert operation.state == State.SENT_UNKNOWN
    assert operation.next_try_at <= clock.now()
    assert requests_and_effects(sandbox, operation) == (1, 0)


def test_a_release_that_holds_no_more_at_the_mark_is_unknown_again(sandbox, settings):
    configure(settings, second_person=False)
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=0)
    dispatch(operation)
    release_once_more(operation)
    move_back(operation, 120)  # the lookup it rests on is not fresh any more
    assert dispatch(operation) is Dispatched.HELD_BACK
    assert (operation.state, operation.claim_given_back) == (State.SENT_UNKNOWN, True)
    assert operation.next_try_at <= clock.now()
    assert requests_and_effects(sandbox, operation) == (1, 0)
