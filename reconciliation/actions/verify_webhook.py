"""Whether a delivery is the receiver's own word, by the scheme that its connector signs with."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from operations.protocol.payloads import JSON, parse_json
from operations.protocol.refusals import NotFound
from operations.receivers import standard_webhook, stripe_webhook
from operations.receivers.base import ReceiverConfig
from reconciliation.protocol.refusals import BadSignature

MAX_BYTES = 4 * 1024 * 1024
# A payload may be nested 64 deep; a webhook holds a receipt, which holds the payload.
MAX_DEPTH = 67


class NoReceipt(Exception):
    """A verified delivery that holds no receipt; its text says why, in one sentence."""


class Scheme(NamedTuple):
    """How a connector's receivers sign their webhooks, and where in one the receipt stands.

    `verify` gives the webhook's id or raises BadSignature; `headers` are kept with the bytes, so
    that the signature can be checked again. `receipt_in` raises NoReceipt, MalformedJSON and
    TooLarge; what it gives is still to be parsed.
    """

    headers: tuple[str, ...]
    verify: Callable[[list[str], Mapping[str, str], bytes], str]
    receipt_in: Callable[[bytes, object], JSON]


def scheme_of(config: ReceiverConfig) -> Scheme:
    """Stripe has its own; everybody else signs by Standard Webhooks."""
    return _STRIPE if config.profile.connector == "stripe" else _STANDARD


def verify_webhook(config: ReceiverConfig, *, headers: Mapping[str, str], raw: bytes) -> str:
    """The webhook's id, once signature and time (5 minutes either way) are found good.

    `headers` have lower-case names. `config.webhook_secret` may hold several secrets, separated
    by blanks, while they are being changed. Raises BadSignature; NotFound where none is set.
    """
    secrets = config.webhook_secret.split()
    if not secrets:
        raise NotFound(what="webhook address of receiver", got=config.name)
    return scheme_of(config).verify(secrets, headers, raw)


def _verify_standard(secrets: list[str], headers: Mapping[str, str], raw: bytes) -> str:
    try:
        return standard_webhook.verify(secrets, headers=headers, raw=raw)
    except standard_webhook.NotSigned as why:
        raise BadSignature(header="webhook-signature", expected=why.expected, got=why.got) from None


def _verify_stripe(secrets: list[str], headers: Mapping[str, str], raw: bytes) -> str:
    try:
        return stripe_webhook.verify(secrets, headers=headers, raw=raw)
    except stripe_webhook.NotStripesWord as why:
        header = stripe_webhook.SIGNATURE_HEADER
        raise BadSignature(header=header, expected=why.expected, got=why.got) from None


def _standard_receipt(raw: bytes, settings: object) -> JSON:
    body = parse_json(raw, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH, keeps_any_text=True)
    if not isinstance(body, dict) or body.get("type") != "receipt":
        raise NoReceipt('expected {"type": "receipt", "data": receipt}, got another message.')
    return body.get("data")


def _stripe_receipt(raw: bytes, settings: object) -> JSON:
    value = stripe_webhook.receipt_in(raw, settings)
    if value is None:
        raise NoReceipt("expected an event about what an operation made, got another event.")
    return value


_STANDARD = Scheme(standard_webhook.HEADERS, _verify_standard, _standard_receipt)
_STRIPE = Scheme((stripe_webhook.SIGNATURE_HEADER,), _verify_stripe, _stripe_receipt)
