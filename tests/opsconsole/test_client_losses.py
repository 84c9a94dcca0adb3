"""What the client does when requests and answers are lost: it never guesses, and never resends."""

import time
from typing import Any

import pytest

from operations.models import AttemptEnd, Operation
from opsconsole.client import NotSendable, OpsConsole, ReportPending
from reconciliation.sandbox.process import SandboxProcess
from tests.operations.api.caller import ApiCaller
from tests.opsconsole.client_calls import Calls, order, placing
from tests.opsconsole.conftest import Wire

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_lost_answer_to_the_mark_sends_nothing_and_marks_no_more(
    console: OpsConsole, wire: Wire
) -> None:
    wire.lost_answers["/attempts"] = 1
    call = Calls()
    with console.effect(**order("c-9")) as effect, pytest.raises(NotSendable) as no:
        effect.send(call)
    assert (call.given, wire.count("/attempts")) == ([], 1)
    assert no.value.operation["state"] == "sent_unknown"
    assert AttemptEnd.objects.get().outcome == "not_sent"


def test_a_mark_that_never_arrived_sends_nothing_and_frees_the_claim(
    console: OpsConsole, wire: Wire
) -> None:
    wire.lost_requests["/attempts"] = 1
    call = Calls()
    with console.effect(**order("c-10")) as effect, pytest.raises(NotSendable):
        effect.send(call)
    assert (call.given, wire.count("/attempts")) == ([], 1)
    assert Operation.objects.get().claim_given_back


@pytest.fixture
def slow_mark(monkeypatch: pytest.MonkeyPatch, wire: Wire) -> None:
    """The answer to a mark comes after the 2 seconds that the receiver's profile gives."""
    answer = wire.inner.handle_request

    def slow(request: Any) -> Any:
        response = answer(request)
        if request.url.path.endswith("/attempts"):
            time.sleep(2.1)
        return response

    monkeypatch.setattr(wire.inner, "handle_request", slow)


@pytest.mark.usefixtures("slow_mark")
def test_an_answer_to_the_mark_that_comes_too_late_sends_nothing(console: OpsConsole) -> None:
    call = Calls()
    with console.effect(**order("c-11")) as effect, pytest.raises(NotSendable):
        effect.send(call)
    assert call.given == []
    assert AttemptEnd.objects.get().outcome == "not_sent"


@pytest.mark.usefixtures("slow_mark")
def test_a_console_that_can_not_be_told_so_changes_nothing_about_that(
    console: OpsConsole, wire: Wire
) -> None:
    call = Calls()
    with console.effect(**order("c-14"), report_seconds=0.3) as effect:
        wire.lost_requests["/end"] = 99
        with pytest.raises(NotSendable) as no:
            effect.send(call)
    assert call.given == []
    assert no.value.operation["state"] == "sent_unknown"


def test_a_report_is_repeated_until_it_arrives(
    console: OpsConsole, sandbox: SandboxProcess, wire: Wire
) -> None:
    wire.lost_requests["/receipts"] = 2
    wire.lost_answers["/receipts"] = 1
    with console.effect(**order("c-12")) as effect:
        effect.send(placing(sandbox, "c-12"))
    assert wire.count("/receipts") == 4
    assert (effect.operation["state"], effect.verdict) == ("confirmed", "already_confirmed")


def test_a_report_that_never_arrives_is_kept_for_later(
    console: OpsConsole, sandbox: SandboxProcess, wire: Wire, caller: ApiCaller
) -> None:
    wire.lost_requests["/receipts"] = 99
    effect = console.effect(**order("c-13"), report_seconds=0.3)
    with effect, pytest.raises(ReportPending) as pending:
        effect.send(placing(sandbox, "c-13"))
    assert pending.value.receipt["operation_id"] == "c-13"
    assert caller.read(effect.operation)["state"] == "sent_unknown"
    wire.lost_requests.clear()
    assert console.deliver(pending.value.report)["verdict"] == "confirmed"


def test_an_unknown_ending_that_cannot_be_told_is_still_raised(
    console: OpsConsole, wire: Wire
) -> None:
    wire.lost_requests["/end"] = 99
    effect = console.effect(**order("c-14"), report_seconds=0.3)
    with effect, pytest.raises(ValueError, match="boom") as error:
        effect.send(Calls(ValueError("boom")))
    assert "could not be told" in error.value.__notes__[0]
