"""What the tests of the stripe connector have in common."""

from dataclasses import replace
from typing import Any

from operations.protocol.profiles import Profile
from operations.receivers.base import ReceiverConfig
from operations.receivers.connectors import connector
from operations.receivers.stripe_receiver import StripeReceiver
from operations.receivers.stripe_settings import Made, StripeSettings
from tests.stripe_server import LIVE_KEY, TEST_KEY

REFUNDS = StripeSettings(
    makes=Made.REFUND,
    amount_pointer="/amount",
    currency_pointer="/currency",
    references={"payment_intent": "/payment_intent"},
)
PAYMENTS = StripeSettings(
    makes=Made.PAYMENT_INTENT,
    amount_pointer="/amount",
    currency_pointer="/currency",
    references={"payment_method": "/card"},
)


def a_profile(settings: StripeSettings = REFUNDS, **more: Any) -> Profile:
    """One that claims what Stripe keeps."""
    values = {
        "receiver": "stripe",
        "connector": "stripe",
        "deduplicates": True,
        "dedup_window_seconds": 86_400,
        "has_lookup": True,
        "significant_fields": tuple(settings.places.values()),
    }
    return Profile(**{**values, **more})


def a_config(
    settings: StripeSettings = REFUNDS, *, base_url: str = "", is_live: bool = False, **more: Any
) -> ReceiverConfig:
    """A receiver of the production environment, in the test mode unless `is_live`."""
    if is_live:
        settings = replace(settings, live_environments=("production",))
    values = {
        "name": "stripe",
        "environment": "production",
        "profile": a_profile(settings),
        "base_url": base_url,
        "credentials": {"api_key": LIVE_KEY if is_live else TEST_KEY},
        "settings": settings,
    }
    return ReceiverConfig(**{**values, **more})


def a_receiver(settings: StripeSettings = REFUNDS, **given: Any) -> StripeReceiver:
    """Its connector."""
    found = connector(a_config(settings, **given))
    assert isinstance(found, StripeReceiver)
    return found


def a_refund(**given: Any) -> dict[str, Any]:
    """A refund as Stripe tells it, of 12.50 EUR for `order-1` in production."""
    return {
        "id": "re_1",
        "object": "refund",
        "amount": 1250,
        "charge": "ch_1",
        "created": 1_790_000_000,
        "currency": "eur",
        "metadata": {"opsconsole_key": "order-1", "opsconsole_environment": "production"},
        "payment_intent": "pi_1",
        "reason": None,
        "status": "succeeded",
        **given,
    }


def a_payment(**given: Any) -> dict[str, Any]:
    """A payment intent as Stripe tells it."""
    return {
        "id": "pi_9",
        "object": "payment_intent",
        "amount": 1250,
        "amount_received": 1250,
        "created": 1_790_000_000,
        "currency": "eur",
        "livemode": False,
        "metadata": {"opsconsole_key": "order-1", "opsconsole_environment": "production"},
        "payment_method": "pm_1",
        "status": "succeeded",
        **given,
    }
