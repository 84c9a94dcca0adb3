"""The faults that can be armed, what each does, and the reading of a request to arm one."""

from dataclasses import dataclass
from enum import StrEnum

from reconciliation.sandbox.exact_json import Json, Number
from reconciliation.sandbox.problems import Problem

MAX_SECONDS = 86_400
MAX_TIMES = 1_000_000


class Fault(StrEnum):
    """Every fault, by the name used in `POST /faults`."""

    # Instead of an order being taken. Each of these counts the request and makes no effect then.
    HANG = "hang"  # answers nothing for `seconds` (30), then closes; never makes an effect
    COMMIT_LATE = "commit_late"  # closes without an answer; the effect follows after `seconds` (5)
    REDIRECT = "redirect"  # 307 to /moved/orders; following it is a second request
    REFUSE = "refuse"  # 422 order_refused, kept for the key: asked again, the same refusal

    # While the effect is made.
    PENDING = "pending"  # the receipt says pending until `seconds` passed or faults are deleted
    CHANGE_PAYLOAD = "change_payload"  # the effect, and every receipt of it, has another payload
    IGNORE_KEY = "ignore_key"  # a key used before makes a second effect
    FORGET_KEY = "forget_key"  # the key is forgotten `seconds` (0) after its use

    # Instead of the plain answer; the effect is on disk. `seconds` delays each of them.
    LOSE_REPLY = "lose_reply"  # closes without an answer
    RESET = "reset"  # resets the connection without an answer
    ANSWER_LATE = "answer_late"  # the plain answer after `seconds` (5)
    ERROR_AFTER_COMMIT = "error_after_commit"  # 503
    GARBAGE_REPLY = "garbage_reply"  # 200 with half a receipt; on even requests, an HTML page
    DUPLICATE = "duplicate"  # 409 duplicate, without a receipt

    # Lookups and lists do not show the orders, for `seconds` or `times`; else until deleted.
    HIDE_LOOKUP = "hide_lookup"

    # A signed webhook about the receipt, whatever --webhooks says.
    WEBHOOK_EARLY = "webhook_early"  # delivered `seconds` (0.2) before the answer
    WEBHOOK_LATE = "webhook_late"  # delivered after `seconds` (5)
    WEBHOOK_TWICE = "webhook_twice"  # one message, delivered twice at the same time
    WEBHOOK_REORDERED = "webhook_reordered"  # confirmed, then the older pending `seconds` (1) later
    # Both directions: a receipt of another environment to this one's address, and the reverse.
    WEBHOOK_WRONG_ENVIRONMENT = "webhook_wrong_environment"


INSTEAD_OF_AN_ORDER = (Fault.HANG, Fault.COMMIT_LATE, Fault.REDIRECT, Fault.REFUSE)
INSTEAD_OF_THE_ANSWER = (
    Fault.LOSE_REPLY,
    Fault.RESET,
    Fault.ANSWER_LATE,
    Fault.ERROR_AFTER_COMMIT,
    Fault.GARBAGE_REPLY,
    Fault.DUPLICATE,
)
WEBHOOKS = (
    Fault.WEBHOOK_EARLY,
    Fault.WEBHOOK_LATE,
    Fault.WEBHOOK_TWICE,
    Fault.WEBHOOK_REORDERED,
    Fault.WEBHOOK_WRONG_ENVIRONMENT,
)
WITHOUT_SECONDS = (
    Fault.CHANGE_PAYLOAD,
    Fault.IGNORE_KEY,
    Fault.WEBHOOK_TWICE,
    Fault.WEBHOOK_WRONG_ENVIRONMENT,
)
DEFAULT_SECONDS = {
    Fault.HANG: 30.0,
    Fault.COMMIT_LATE: 5.0,
    Fault.ANSWER_LATE: 5.0,
    Fault.WEBHOOK_EARLY: 0.2,
    Fault.WEBHOOK_LATE: 5.0,
    Fault.WEBHOOK_REORDERED: 1.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arming:
    """A request to arm one fault. `times` None means until it is deleted or its time is over."""

    operation_id: str
    fault: Fault
    seconds: float | None
    times: int | None


def read_arming(body: Json) -> Arming:
    """Read `{operation_id, fault, seconds?, times?}`; raises Problem 400 naming a member."""
    if not isinstance(body, dict):
        raise Problem.bad_request("invalid_body", "expected an object with operation_id and fault")
    unknown = sorted(set(body) - {"operation_id", "fault", "seconds", "times"})
    if unknown:
        raise Problem.bad_request("unknown_member", f"{unknown[0]} is not a member of a fault")
    fault = _fault(body.get("fault"))
    seconds = _seconds(body.get("seconds"))
    if seconds is not None and fault in WITHOUT_SECONDS:
        raise Problem.bad_request("invalid_seconds", f"{fault} does not take seconds")
    once = None if fault is Fault.HIDE_LOOKUP else 1
    return Arming(
        operation_id=read_operation_id(body.get("operation_id")),
        fault=fault,
        seconds=seconds,
        times=_times(body["times"]) if "times" in body else once,
    )


def read_operation_id(value: Json) -> str:
    """Read an operation id: 1 to 200 printable ASCII characters; raises Problem 400."""
    if isinstance(value, str) and 1 <= len(value) <= 200 and _is_printable_ascii(value):
        return value
    expected = "expected 1 to 200 printable ASCII characters"
    got = repr(value[:80]) if isinstance(value, str) else "no text"
    raise Problem.bad_request("invalid_operation_id", f"operation_id: {expected}, got {got}")


def _is_printable_ascii(value: str) -> bool:
    return all(" " <= char <= "~" for char in value)


def _fault(value: Json) -> Fault:
    if isinstance(value, str) and value in list(Fault):
        return Fault(value)
    raise Problem.bad_request("unknown_fault", f"fault: expected one of {', '.join(Fault)}")


def _seconds(value: Json) -> float | None:
    if value is None:
        return None
    if isinstance(value, Number) and 0 <= value.value <= MAX_SECONDS:
        return float(value.value)
    raise Problem.bad_request("invalid_seconds", f"seconds: expected 0 to {MAX_SECONDS}")


def _times(value: Json) -> int:
    if isinstance(value, Number) and 1 <= value.value <= MAX_TIMES and value.value % 1 == 0:
        return int(value.value)
    raise Problem.bad_request("invalid_times", f"times: expected a whole number, 1 to {MAX_TIMES}")
