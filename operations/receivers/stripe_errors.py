"""The one word for an error that Stripe answered, read by Stripe's own package."""

import stripe

from operations.receivers.answers import read_json_object
from operations.receivers.http_call import HttpAnswer
from operations.receivers.stripe_calls import replay
from operations.receivers.stripe_words import KEY_REUSED, UNCODED


def refusal_code(answer: HttpAnswer) -> str | None:
    """Stripe's code for its no, or the name of the error's kind where it has none.

    None for an answer below 400 and for a body that is not one of Stripe's errors.
    """
    body = read_json_object(answer.raw)
    if answer.status < 400 or body is None or not isinstance(body.get("error"), dict):
        return None
    try:
        replay(answer)
    except stripe.StripeError as error:
        return _word(error, body["error"].get("code"))
    return None


def _word(error: stripe.StripeError, code: object) -> str:
    match error:
        case stripe.IdempotencyError():
            return KEY_REUSED
        case stripe.AuthenticationError():
            return "authentication_error"
        case stripe.PermissionError():
            return "permission_error"
        case stripe.RateLimitError():
            return "lock_timeout" if code == "lock_timeout" else "rate_limit"
        case stripe.CardError():
            return _own(code, otherwise="card_error")
        case stripe.InvalidRequestError():
            return _own(code, otherwise=UNCODED)
        case _:  # 409, 5xx and whatever else there may be
            in_use = code == "idempotency_key_in_use"
            return "idempotency_key_in_use" if in_use else "api_error"


def _own(code: object, *, otherwise: str) -> str:
    is_usable = isinstance(code, str) and 0 < len(code) <= 255
    return str(code) if is_usable else otherwise
