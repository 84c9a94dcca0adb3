"""Stripe's signed events: whether one is Stripe's own word, and the receipt inside it."""

import re
import time
from collections.abc import Mapping, Sequence

from operations.protocol.payloads import JSON
from operations.receivers.answers import read_json_object
from operations.receivers.stripe_objects import receipt_value
from operations.receivers.stripe_settings import Made, StripeSettings

# https://docs.stripe.com/webhooks#verify-official-libraries: five minutes, here either way.
TOLERANCE_SECONDS = 300
SIGNATURE_HEADER = "stripe-signature"
# As it stands in a URL or a header: an id that is kept beside others can't be made to equal one.
_ID = re.compile(r"[!-~]{1,255}", re.ASCII)
# One time and then signatures, so that the time that is checked is the one that was signed.
_SIGNATURE = re.compile(r"t=([0-9]{1,12})(?:,v[0-9]{1,2}=[0-9a-f]{1,128}){1,20}", re.ASCII)
_EVENTS = {
    Made.REFUND: re.compile(r"refund\..+|charge\.refund\.updated"),
    Made.PAYMENT_INTENT: re.compile(r"payment_intent\..+"),
}


class NotStripesWord(Exception):
    """A delivery that Stripe did not sign, or that is no event."""

    def __init__(self, *, expected: str, got: str) -> None:
        self.expected, self.got = expected, got
        super().__init__(f"expected {expected}, got {got}.")


def verify(secrets: Sequence[str], *, headers: Mapping[str, str], raw: bytes) -> str:
    """The event's id, once the signature over the bytes and its time are found good.

    `headers` have lower-case names. Any of the secrets may have signed, and any of several
    signatures may be the one, while a secret is being rolled. Raises NotStripesWord.
    """
    header = headers.get(SIGNATURE_HEADER, "")
    match = _SIGNATURE.fullmatch(header)
    if match is None:
        got = "another text" if header else "nothing"
        raise NotStripesWord(expected=f"t=time,v1=signature in {SIGNATURE_HEADER}", got=got)
    flaws = [_flaw(secret, header, raw) for secret in secrets]
    if all(flaws):
        expected = "a signature (v1) with this receiver's secret"
        raise NotStripesWord(expected=expected, got=flaws[0] if flaws else "no secret")
    _check_time(int(match[1]))
    event = read_json_object(raw) or {}
    event_id = event.get("id")
    if not isinstance(event_id, str) or not _ID.fullmatch(event_id):
        expected = "an event with an id of 1 to 255 visible ASCII characters"
        raise NotStripesWord(expected=expected, got="another body")
    return event_id


def receipt_in(raw: bytes, settings: object) -> JSON | None:
    """The receipt in a verified event about what one of our operations made; None for any other.

    It was said when the event was made, so that events may come in any order.
    """
    event = read_json_object(raw)
    if event is None or not isinstance(settings, StripeSettings):
        return None
    kind, data = event.get("type"), event.get("data")
    if not isinstance(kind, str) or not _EVENTS[settings.makes].fullmatch(kind):
        return None
    made = data.get("object") if isinstance(data, dict) else None
    is_live = event.get("livemode")
    return receipt_value(
        made,
        settings,
        is_live=is_live if isinstance(is_live, bool) else None,
        said_at=event.get("created"),
    )


def _flaw(secret: str, header: str, raw: bytes) -> str:
    """Why this secret did not sign these bytes; empty when it did."""
    import stripe  # as in connectors: only where there is such a receiver

    try:
        stripe.WebhookSignature.verify_header(raw, header, secret)
    except stripe.SignatureVerificationError as error:
        return str(error.user_message)
    except UnicodeDecodeError:
        return "a body that is not UTF-8"
    return ""


def _check_time(signed_at: int) -> None:
    """Stripe's package knows only "too old"; a time to come is refused as well."""
    age_seconds = time.time() - signed_at
    if abs(age_seconds) > TOLERANCE_SECONDS:
        raise NotStripesWord(
            expected=f"a time within {TOLERANCE_SECONDS} seconds of now",
            got=f"{age_seconds:.0f} seconds ago",
        )
