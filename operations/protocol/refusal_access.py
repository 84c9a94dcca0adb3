"""Refusals of who asks or when: identity, permission, existence, rate, availability."""

from operations.protocol.refusal import Refusal


class Unauthenticated(Refusal):
    """Members: expected, got (never the token itself)."""

    code = "unauthenticated"
    status = 401
    sentence = "Authorization: expected {expected}, got {got}."
    remedy_text = "Send a current token as Authorization: Bearer …, or sign in again."


class NotPermitted(Refusal):
    """Members: expected (what would be needed), got (what the actor has)."""

    code = "not_permitted"
    status = 403
    sentence = "This is not permitted: expected {expected}, got {got}."
    remedy_text = "Ask someone who has that right; this request was recorded."


class OwnRequest(Refusal):
    """Rule 13. Members: got (how the actor is connected with the request)."""

    code = "own_request"
    status = 403
    sentence = (
        "Nobody decides on their own request: expected another person, "
        "got one who is {got} of this request."
    )
    remedy_text = "Ask a colleague who had no part in the request."


class NotFound(Refusal):
    """Also the answer for another agent's record. Members: what (such as "operation"), got."""

    code = "not_found"
    status = 404
    sentence = "There is no {what} {got} that you may see."
    remedy_text = "Check the id and that this token's agent owns it."


class MethodNotAllowed(Refusal):
    """Members: expected (the methods that exist here), got."""

    code = "not_found"
    status = 405
    sentence = "Method: expected {expected}, got {got}."
    remedy_text = "Use one of the listed methods."


class RateLimited(Refusal):
    """Members: expected, got, retry_after_seconds (also sent as Retry-After)."""

    code = "rate_limited"
    status = 429
    sentence = "Too many requests: expected at most {expected}, got {got}; nothing was done."
    remedy_text = "Wait {retry_after_seconds} s, then observe before you act."


class Unavailable(Refusal):
    """Members: what (such as "the database"), retry_after_seconds (also sent as Retry-After)."""

    code = "unavailable"
    status = 503
    sentence = "{what} can't be reached: nothing was recorded by this request as far as is known."
    remedy_text = "Wait {retry_after_seconds} s, then observe. After a failed mark do not send."
