"""Refusals of the webhook channel."""

from operations.protocol.refusal import Refusal


class BadSignature(Refusal):
    """Nothing of such a delivery is kept. Members: expected, got."""

    code = "unauthenticated"
    status = 401
    sentence = "webhook-signature: expected {expected}, got {got}."
    remedy_text = "Sign the body's bytes with this receiver's secret and a current timestamp."
