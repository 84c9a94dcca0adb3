"""The console as docs/receivers.md configures it for Stripe, before a real localstripe."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from operations.models import Operation
from operations.protocol.states import State
from opsconsole.config import load_configuration
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_console_operation, move_back
from tests.campaigns.harness.proxy import Proxy
from tests.stripe_server import LIVE_KEY, TEST_KEY, documented

# Past the lease, and past the documented send deadline, delivery delay and lag.
LATER_SECONDS = 200
KEYS = {"STRIPE_LIVE_KEY": LIVE_KEY, "STRIPE_TEST_KEY": TEST_KEY}


@pytest.fixture(name="way")
def way_fixture(stripe_server, settings, monkeypatch, tmp_path) -> Iterator[Proxy]:
    """The only way to Stripe, in the documented configuration."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with Proxy(("127.0.0.1", stripe_server.port)) as proxy:
        text = documented()
        for receiver in ("stripe-refunds", "stripe-payments"):
            place = f"[receivers.{receiver}.environments.staging]\n"
            assert place in text
            text = text.replace(place, f'{place}base_url = "http://127.0.0.1:{proxy.port}"\n')
        path = tmp_path / "stripe.toml"
        path.write_text(text)
        settings.OPSCONSOLE = load_configuration(path)
        monkeypatch.setenv("OPSCONSOLE_CONFIG", str(path))
        yield proxy


@pytest.fixture(name="payment")
def payment_fixture(stripe_server) -> str:
    """A payment of 100.00 EUR that can be given back."""
    return stripe_server.a_payment(10_000, "eur")["id"]


def change(settings, /, **given) -> None:
    """Change the receiver of refunds, from now on and in this process."""
    receivers = dict(settings.OPSCONSOLE.receivers)
    place = ("staging", "stripe-refunds")
    receivers[place] = replace(receivers[place], **given)
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)


def a_refund(payment: str, **given: str) -> Operation:
    """A refund of it that our own dispatcher sends."""
    fields = {"payment_intent": payment, "amount": "12.50", "currency": "EUR", **given}
    payload = {**fields, "reason": "damaged"}
    return a_console_operation(
        kind="card.refund", receiver="stripe-refunds", environment="staging", payload=payload
    )


def look(operation: Operation) -> State:
    """One lookup once everything that might be on its way has arrived; the state after it."""
    move_back(operation, LATER_SECONDS)
    reconcile_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return State(operation.state)
