"""A webhook's id that comes again with other bytes, and bytes that are no text."""

import base64
import hashlib
import hmac
import time

import pytest
from django.test import Client

from operations.models import AuditEntry, Receipt
from operations.protocol.states import Question, State, Verdict
from reconciliation.models import WebhookDelivery
from tests.build import a_marked_operation, a_receipt
from tests.receiver import configure
from tests.reconciliation.hook_calls import message, nothing_kept, post
from tests.signing import SECRET, signed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _hooks(settings):
    configure(settings)
    settings.ROOT_URLCONF = "reconciliation.hooks"


def reuses():
    return list(AuditEntry.objects.filter(event="reuse_webhook_id"))


def test_other_bytes_under_a_used_id_are_kept_and_on_the_trail():
    first, other = '{"type":"invoice"}', '{"type":"invoices"}'
    post(first, signed(first))
    answer = post(other, signed(other))
    assert (answer.status_code, answer.json()["reuses_id"]) == (200, True)
    kept = WebhookDelivery.objects.order_by("pk")
    assert [bytes(each.raw) for each in kept] == [first.encode(), other.encode()]
    [entry] = reuses()
    assert entry.stream == "receivers"
    assert entry.detail["webhook"] == "msg_1"
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (first, other)]
    assert [entry.detail["first_digest"], entry.detail["digest"]] == digests


def test_each_of_the_bodies_under_one_id_is_kept_once():
    first, other = '{"type":"invoice"}', '{"type":"invoices"}'
    for body in (first, other, other, first, other):
        assert post(body, signed(body)).status_code == 200
    assert WebhookDelivery.objects.count() == 2
    assert len(reuses()) == 1


def test_a_confirmation_under_the_id_of_its_pending_confirms():
    """A sender that words its message anew for each try tells the latest."""
    operation, _ = a_marked_operation()
    said = a_receipt(operation)
    for status in ("pending", "confirmed"):
        body = message({**said, "status": status})
        post(body, signed(body))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert Receipt.objects.filter(operation=operation).count() == 2


def test_another_payload_under_a_used_id_is_a_contradiction_for_people():
    operation, _ = a_marked_operation()
    said = a_receipt(operation)
    post(message(said), signed(message(said)))
    body = message({**said, "payload": {"sku": "mint", "quantity": 6}})
    assert post(body, signed(body)).json()["outcome"] == Verdict.MISMATCH
    assert operation.reviews.get().question == Question.CONTRADICTION


def bytes_signed(raw, *, secret=SECRET):
    """As the standard says it: over the bytes, whatever they are."""
    at = int(time.time())
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"msg_1.{at}.".encode() + raw, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(at),
        "webhook-signature": signature,
    }


def post_bytes(raw, headers):
    return Client().post(
        "/hooks/production/sandbox", data=raw, content_type="application/json", headers=headers
    )


def test_a_body_that_is_no_text_is_kept_when_it_is_signed():
    raw = b'{"type":"receipt","data":"\xff\xfe\x00"}'
    answer = post_bytes(raw, bytes_signed(raw))
    assert answer.status_code == 200
    delivery = WebhookDelivery.objects.get()
    assert (bytes(delivery.raw), delivery.receipt) == (raw, None)
    assert delivery.outcome == answer.json()["outcome"] != ""


def test_a_body_that_is_no_text_needs_its_signature():
    raw = b"\xff\xfe\x00"
    headers = bytes_signed(raw, secret="whsec_YW5vdGhlciBzZWNyZXQ=")
    assert post_bytes(raw, headers).status_code == 401
    assert nothing_kept()
