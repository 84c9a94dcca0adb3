"""Signatures of webhooks: over the bytes, of now, by a secret of this receiver."""

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook

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


def test_a_kept_delivery_can_be_verified_again_from_its_copy():
    """Case 23: the bytes are kept as they came, so the proof does not end with the tolerance."""
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation)).replace(",", " ,  ")
    post(body, signed(body))
    kept = WebhookDelivery.objects.get()
    assert bytes(kept.raw) == body.encode()
    at = datetime.fromtimestamp(int(kept.headers["webhook-timestamp"]), tz=UTC)
    again = Webhook(SECRET).sign(kept.webhook_id, at, bytes(kept.raw).decode())
    assert again == kept.headers["webhook-signature"]


@pytest.mark.parametrize("body", [r'{"text":"\u001B[0m",  "n": 1.0}', None])
def test_the_signature_is_over_the_bytes_as_they_came(body):
    """Case 17: what would be written otherwise is accepted; with one byte flipped it is not."""
    operation, _ = a_marked_operation()
    body = body or message(a_receipt(operation))[:-1] + r',  "text":"\u001B[0m", "n": 1.0}'
    flipped = post(body.replace("u001B", "u001b"), signed(body))
    assert (flipped.status_code, flipped.json()["code"]) == (401, "unauthenticated")
    assert nothing_kept()
    assert post(body, signed(body)).status_code == 200
    assert bytes(WebhookDelivery.objects.get().raw) == body.encode()


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_signature_of_another_time_is_refused(minutes):
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation))
    headers = signed(body, at=datetime.now(tz=UTC) + timedelta(minutes=minutes))
    assert post(body, headers).status_code == 401
    assert nothing_kept()


def test_a_signature_of_2001_is_refused():
    """Case 46: what was signed long ago is refused, and nothing of it is kept."""
    headers = signed("{}", at=datetime.fromtimestamp(1_000_000_000, tz=UTC))
    assert post("{}", headers).status_code == 401
    assert nothing_kept()


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_refused_by_name(name):
    headers = signed("{}")
    del headers[name]
    answer = post("{}", headers)
    assert answer.status_code == 401
    assert name in answer.json()["detail"]


@pytest.mark.parametrize(
    "signature", ["", "v1", "v1,", "v1,!!!", "v2,abc", "v1,abc v1,def", "v1a,abc", ",,,"]
)
def test_a_signature_that_is_none_is_refused(signature):
    headers = signed("{}") | {"webhook-signature": signature}
    assert post("{}", headers).status_code == 401


@pytest.mark.parametrize("timestamp", ["", "nan", "inf", "-1", "tomorrow", "9" * 400])
def test_a_timestamp_that_is_none_is_refused(timestamp):
    headers = signed("{}") | {"webhook-timestamp": timestamp}
    assert post("{}", headers).status_code == 401


def test_another_receivers_secret_is_refused():
    assert post("{}", signed("{}", secret="whsec_YW5vdGhlciBzZWNyZXQ=")).status_code == 401


def test_both_secrets_count_while_one_replaces_the_other(settings):
    new = "whsec_dGhlIG5ldyBzZWNyZXQ="
    configure(settings, secret=f"{SECRET} {new}")
    for webhook_id, secret in (("msg_1", SECRET), ("msg_2", new)):
        headers = signed("{}", webhook_id=webhook_id, secret=secret)
        assert post("{}", headers).status_code == 200
