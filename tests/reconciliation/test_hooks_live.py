"""The sandbox's own webhooks over real HTTP: early, late, twice, out of order, mixed up."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.payloads import dumps
from operations.protocol.states import Channel, Question, State, Verdict
from reconciliation.models import WebhookDelivery
from reconciliation.sandbox.process import SandboxProcess
from tests.build import a_console_operation, a_marked_operation, a_receipt
from tests.dispatching import dispatch, the_end
from tests.receiver import configure, eventually, requests_and_effects
from tests.signing import SECRET, signed
from tests.together import meanwhile

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


@pytest.fixture(scope="module")
def hooked_sandbox(live_server: LiveServer) -> Iterator[SandboxProcess]:
    """A sandbox that sends its webhooks to this test's own console."""
    url = f"{live_server.url}/hooks/{{environment}}/sandbox"
    with SandboxProcess(webhook_url=url, webhook_secret=SECRET) as process:
        yield process


@pytest.fixture
def sandbox(hooked_sandbox, settings):
    settings.ROOT_URLCONF = "reconciliation.hooks"
    configure(settings, url=hooked_sandbox.url)
    return hooked_sandbox


def delivered(count: int) -> bool:
    return bool(eventually(lambda: WebhookDelivery.objects.count() >= count))


def confirms(operation: Operation) -> int:
    return AuditEntry.objects.filter(operation=operation, event="confirm").count()


def test_a_webhook_before_the_answer_confirms_and_the_answer_adds_a_note(sandbox):
    """Case 39: one operation and one confirmation, whichever of the two comes first."""
    operation = a_console_operation()
    sandbox.fault(operation.key, "webhook_early", seconds=0.3)
    dispatch(operation)
    assert operation.state == State.CONFIRMED
    verdicts = dict(Receipt.objects.filter(operation=operation).values_list("channel", "verdict"))
    assert verdicts == {
        Channel.WEBHOOK: Verdict.CONFIRMED,
        Channel.RESPONSE: Verdict.ALREADY_CONFIRMED,
    }
    assert confirms(operation) == 1
    assert the_end(operation).outcome == "receipt"
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_webhook_after_a_lost_reply_settles_it_without_a_lookup(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    sandbox.fault(operation.key, "webhook_late", seconds=0.5)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert delivered(1)
    operation.refresh_from_db()
    assert (operation.state, operation.next_try_at) == (State.CONFIRMED, None)
    assert not operation.lookups.exists()


def test_a_webhook_that_comes_twice_counts_once(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    sandbox.fault(operation.key, "webhook_twice")
    dispatch(operation)
    assert delivered(1)
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert (operation.receipts.count(), confirms(operation)) == (1, 1)


def test_an_older_pending_webhook_after_the_confirmation_changes_nothing(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "webhook_reordered", seconds=0.3)
    dispatch(operation)
    assert delivered(2)
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert not operation.reviews.exists()


def test_a_webhook_of_the_other_environment_confirms_nothing(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    sandbox.fault(operation.key, "webhook_wrong_environment")
    dispatch(operation)
    assert delivered(2)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
    stray = Receipt.objects.get(operation=None)
    assert (stray.environment, stray.operation_key) == ("staging", operation.key)


def test_while_the_row_is_locked_the_sender_is_told_to_come_again(settings):
    settings.ROOT_URLCONF = "reconciliation.hooks"
    configure(settings)
    operation, _ = a_marked_operation()
    body = dumps({"type": "receipt", "data": a_receipt(operation)})

    def post():
        return Client().post(
            "/hooks/production/sandbox",
            data=body.encode(),
            content_type="application/json",
            headers=signed(body),
        )

    with transaction.atomic():
        Operation.objects.select_for_update(of=("self",)).get(pk=operation.pk)
        with meanwhile(post) as posted:
            refused = posted.result(timeout=20)
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert int(refused["Retry-After"]) > 0
    assert not WebhookDelivery.objects.exists()
    assert post().status_code == 200


def test_while_the_database_is_away_the_sender_is_told_to_come_again(settings, monkeypatch):
    settings.ROOT_URLCONF = "reconciliation.hooks"
    configure(settings)
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    answer = Client().post(
        "/hooks/production/sandbox",
        data=b"{}",
        content_type="application/json",
        headers=signed("{}"),
    )
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
