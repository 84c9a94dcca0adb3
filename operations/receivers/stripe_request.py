"""From a payload to the parameters of Stripe's call."""

import re
from datetime import datetime
from typing import Any

from operations.protocol.json_values import JSON, MISSING, Missing, dumps, resolve
from operations.protocol.money import amount_of
from operations.protocol.refusals import InvalidPayload
from operations.protocol.words import shortened
from operations.receivers.stripe_amounts import UnfitAmount, to_stripe
from operations.receivers.stripe_objects import ENVIRONMENT_NAME, KEY_NAME
from operations.receivers.stripe_settings import Made, StripeSettings

PATHS = {Made.REFUND: "/v1/refunds", Made.PAYMENT_INTENT: "/v1/payment_intents"}
# By how much Stripe's clock may differ from the console's: far more than it ever should.
CLOCKS_APART_SECONDS = 86_400
_ID = re.compile(r"[A-Za-z0-9_]{1,255}", re.ASCII)


def parameters(
    payload: JSON, settings: StripeSettings, *, key: str, environment: str
) -> dict[str, Any]:
    """What makes the refund or the payment, with whose it is in its metadata.

    A payment is made at once, without its customer at hand. Raises InvalidPayload with the
    pointer of what is missing or what Stripe can't take.
    """
    found: dict[str, Any] = {
        "amount": _units(payload, settings),
        **_references(payload, settings),
    }
    if settings.makes is Made.PAYMENT_INTENT:
        found["currency"] = _currency(payload, settings).lower()
        found["confirm"] = True
        found["off_session"] = True
        found["payment_method_types"] = list(settings.payment_method_types)
    found["metadata"] = {KEY_NAME: key, ENVIRONMENT_NAME: environment}
    return found


def filters(payload: JSON, settings: StripeSettings, *, since: datetime) -> dict[str, Any]:
    """What narrows Stripe's list to where an object of this payload's is. Raises InvalidPayload.

    All the refunds of one charge or payment; of payments, those of its customer where the payload
    names one, and since the registration (`since`, by the console's clock).
    """
    named = _references(payload, settings)
    if settings.makes is Made.REFUND:
        return named
    by_customer = {"customer": named["customer"]} if "customer" in named else {}
    return {**by_customer, "created": {"gte": int(since.timestamp()) - CLOCKS_APART_SECONDS}}


def _references(payload: JSON, settings: StripeSettings) -> dict[str, str]:
    return {name: _id(payload, pointer) for name, pointer in settings.references.items()}


def _units(payload: JSON, settings: StripeSettings) -> int:
    value = resolve(payload, settings.amount_pointer)
    amount = amount_of(value)
    currency = _currency(payload, settings)
    if amount is None:
        raise _invalid(settings.amount_pointer, 'a decimal such as "12.50"', value)
    try:
        return to_stripe(amount, currency)
    except UnfitAmount as unfit:
        raise _invalid(settings.amount_pointer, unfit.expected, value) from None


def _currency(payload: JSON, settings: StripeSettings) -> str:
    value = resolve(payload, settings.currency_pointer)
    if not isinstance(value, str):
        raise _invalid(settings.currency_pointer, "an ISO 4217 code such as EUR", value)
    return value


def _id(payload: JSON, pointer: str) -> str:
    value = resolve(payload, pointer)
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise _invalid(pointer, "the id of an object at Stripe", value)
    return value


def _invalid(pointer: str, expected: str, value: JSON | Missing) -> InvalidPayload:
    got = "nothing" if value is MISSING else shortened(dumps(value), limit=60)
    return InvalidPayload(field=pointer, expected=expected, got=got)
