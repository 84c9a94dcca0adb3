"""What goes back to a sender: an answer, and how the connection is treated."""

from dataclasses import dataclass, field, replace
from enum import Enum, auto

from reconciliation.sandbox import exact_json
from reconciliation.sandbox.armed import Struck
from reconciliation.sandbox.exact_json import Json
from reconciliation.sandbox.faults import Fault

JSON_TYPE = "application/json"
HTML = b"<!doctype html><title>Welcome</title><p>The service is being upgraded.</p>"


class Ending(Enum):
    """What becomes of the connection."""

    ANSWER = auto()  # the answer is sent and the connection stays open
    SILENCE = auto()  # nothing is sent and the connection is closed
    RESET = auto()  # nothing is sent and the connection is reset


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer after a delay in seconds, or none."""

    status: int = 200
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    ending: Ending = Ending.ANSWER


def json_reply(status: int, value: Json) -> Reply:
    """A JSON answer."""
    return Reply(status=status, body=exact_json.write(value).encode())


def problem_reply(status: int, code: str, detail: str) -> Reply:
    """`{"error": {"code", "detail"}}`."""
    return json_reply(status, {"error": {"code": code, "detail": detail}})


def not_found_reply(operation_id: str) -> Reply:
    """The exact answer for an order that no lookup shows."""
    return json_reply(404, {"error": "not_found", "operation_id": operation_id})


def spoil(reply: Reply, struck: Struck, *, request_number: int) -> Reply:
    """What is answered instead of `reply` when a fault of the answer strikes."""
    delay = struck.seconds or 0.0
    match struck.fault:
        case Fault.LOSE_REPLY:
            spoiled = Reply(ending=Ending.SILENCE)
        case Fault.RESET:
            spoiled = Reply(ending=Ending.RESET)
        case Fault.ANSWER_LATE:
            spoiled = reply
        case Fault.ERROR_AFTER_COMMIT:
            spoiled = problem_reply(503, "unavailable", "The service is unavailable for now.")
        case Fault.GARBAGE_REPLY:
            spoiled = _garbage(reply, as_page=request_number % 2 == 0)
        case Fault.DUPLICATE:
            spoiled = problem_reply(409, "duplicate", "An order like this one was taken before.")
        case other:
            raise ValueError(f"expected a fault of the answer, got {other}")
    return replace(spoiled, delay_seconds=delay)


def _garbage(reply: Reply, *, as_page: bool) -> Reply:
    if as_page:
        return Reply(body=HTML, content_type="text/html")
    return Reply(body=reply.body[: len(reply.body) // 2])
