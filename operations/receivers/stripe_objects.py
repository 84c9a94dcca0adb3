"""Stripe's refunds and payment intents read as receipts."""

from datetime import UTC, datetime
from decimal import Decimal

from operations.protocol.json_values import JSON, is_number, pointer_names
from operations.protocol.states import ReceiptStatus
from operations.receivers.stripe_amounts import UnfitAmount, from_stripe
from operations.receivers.stripe_settings import Made, StripeSettings

# In the metadata of what we make: whose it is.
KEY_NAME = "opsconsole_key"
ENVIRONMENT_NAME = "opsconsole_environment"

# https://docs.stripe.com/api/refunds/object and https://docs.stripe.com/payments/paymentintents/
# lifecycle. Only "succeeded" says that money moved, and only what can't succeed any more is a no:
# a payment intent whose card was declined may still be paid with another one.
_STATUSES = {
    Made.REFUND: {
        "succeeded": ReceiptStatus.CONFIRMED,
        "pending": ReceiptStatus.PENDING,
        "requires_action": ReceiptStatus.PENDING,
        "failed": ReceiptStatus.REFUSED,
        "canceled": ReceiptStatus.REFUSED,
    },
    Made.PAYMENT_INTENT: {
        "succeeded": ReceiptStatus.CONFIRMED,
        "processing": ReceiptStatus.PENDING,
        "requires_action": ReceiptStatus.PENDING,
        "requires_capture": ReceiptStatus.PENDING,
        "requires_confirmation": ReceiptStatus.PENDING,
        "requires_payment_method": ReceiptStatus.PENDING,
        "canceled": ReceiptStatus.REFUSED,
    },
}
_LATEST_INSTANT = 253_402_300_799  # the end of the year 9999


def owner_of(made: JSON) -> tuple[str, str] | None:
    """The operation key and the environment in an object's metadata; None where it has none."""
    metadata = made.get("metadata") if isinstance(made, dict) else None
    if not isinstance(metadata, dict):
        return None
    key, environment = metadata.get(KEY_NAME), metadata.get(ENVIRONMENT_NAME)
    return (key, environment) if isinstance(key, str) and isinstance(environment, str) else None


def receipt_value(
    made: JSON,
    settings: StripeSettings,
    *,
    is_live: bool | None = None,
    said_at: JSON = None,
) -> dict[str, JSON] | None:
    """The receipt that an object of Stripe's is; None for an object that is not one of ours.

    Its payload holds what Stripe carries, at the payload's own places; what can't be read is left
    out. A status that is not known is no receipt's. `is_live` is the mode of
    who brought it, for objects that do not tell theirs; `said_at` the Unix time at which it was
    said, by default that of the object's making.
    """
    owner = owner_of(made)
    if owner is None or made.get("object") != settings.makes:
        return None
    key, environment = owner
    status = made.get("status")
    known = status if isinstance(status, str) else ""
    meaning = _STATUSES[settings.makes].get(known)
    value: dict[str, JSON] = {
        "operation_id": key,
        "payload": _payload(made, settings),
        # "confirmed" is a word of ours: as Stripe's own it means nothing that we know.
        "status": str(meaning) if meaning else f"unknown: {known}",
        "effect_id": made.get("id"),
        "environment": _environment(made, environment, settings, is_live=is_live),
    }
    at = _instant(made.get("created") if said_at is None else said_at)
    return value if at is None else {**value, "occurred_at": at}


def _environment(
    made: dict[str, JSON], environment: str, settings: StripeSettings, *, is_live: bool | None
) -> str:
    """The environment as the metadata name it; another one's name where the mode is not its own.

    So an object of the test mode confirms nothing where money is real, whatever it says of itself.
    """
    should_be_live = environment in settings.live_environments
    said = made.get("livemode", is_live)
    if not isinstance(said, bool) or said is should_be_live:
        return environment
    return f"{environment} ({'live' if said else 'test'} mode)"


def _payload(made: dict[str, JSON], settings: StripeSettings) -> JSON:
    payload: dict[str, JSON] = {}
    currency = made.get("currency")
    if isinstance(currency, str):
        _place(payload, settings.currency_pointer, currency.upper())
        amount = _amount(_units(made), currency.upper())
        if amount is not None:
            _place(payload, settings.amount_pointer, amount)
    for name, pointer in settings.references.items():
        _place_reference(payload, pointer, made.get(name))
    return payload


def _units(made: dict[str, JSON]) -> JSON:
    """What was really moved: of a payment intent that succeeded, perhaps less than was asked."""
    if made.get("status") == "succeeded" and "amount_received" in made:
        return made["amount_received"]
    return made.get("amount")


def _amount(units: JSON, currency: str) -> str | None:
    if not is_number(units) or Decimal(units) != int(units):
        return None
    try:
        return from_stripe(int(units), currency)
    except UnfitAmount:
        return None


def _place_reference(payload: dict[str, JSON], pointer: str, named: JSON) -> None:
    """An id, or that of an object that Stripe expanded in its place."""
    name = named.get("id") if isinstance(named, dict) else named
    if isinstance(name, str):
        _place(payload, pointer, name)


def _place(payload: dict[str, JSON], pointer: str, value: JSON) -> None:
    *above, last = pointer_names(pointer)
    for name in above:
        payload = payload.setdefault(name, {})
    payload[last] = value


def _instant(seconds: JSON) -> str | None:
    if not is_number(seconds) or not 0 <= seconds <= _LATEST_INSTANT:
        return None
    return datetime.fromtimestamp(int(seconds), tz=UTC).isoformat()
