"""What came of the console's own call is judged and written down (rules 4 to 6)."""

from operations.actions.end_attempt import end_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.record_refusal import DUPLICATE_CODES, record_refusal
from operations.actors import Actor
from operations.models import Attempt
from operations.protocol.profiles import Profile, is_definite_refusal
from operations.protocol.receipts import InvalidReceipt, Receipt, parse_receipt
from operations.protocol.states import AttemptOutcome, Channel
from operations.protocol.words import shortened, storable
from operations.receivers.base import Answered, Outcome


def record_outcome(*, attempt: Attempt, outcome: Outcome, profile: Profile, actor: Actor) -> str:
    """Record the outcome under the attempt's token; returns one word for the log.

    A readable receipt of a 2xx answer is a receipt. A refusal is one only when the profile lists
    it, or when it says "duplicate". Everything else leaves the outcome unknown, raw answer kept.
    Raises StaleClaim when the token is not current any more; the evidence is kept all the same.
    """
    said = _receipt(outcome)
    if isinstance(said, Receipt):
        recorded = record_receipt(
            operation_id=attempt.operation_id,
            value=said,
            channel=Channel.RESPONSE,
            raw=outcome.raw,
            actor=actor,
            token=attempt.token,
        )
        return str(recorded.verdict)
    if isinstance(outcome, Answered) and _is_refusal(outcome, profile):
        record_refusal(
            operation_id=attempt.operation_id,
            actor=actor,
            token=attempt.token,
            status=outcome.status,
            code=storable(outcome.refusal_code or ""),
            raw=outcome.raw,
        )
        return str(AttemptOutcome.REFUSED)
    is_unsent = not isinstance(outcome, Answered) and outcome.sent is False
    ending = AttemptOutcome.NOT_SENT if is_unsent else AttemptOutcome.UNKNOWN
    end_attempt(
        operation_id=attempt.operation_id,
        actor=actor,
        token=attempt.token,
        generation=attempt.generation,
        outcome=ending,
        detail=storable(shortened(said)),
        raw=outcome.raw,
    )
    return str(ending)


def _receipt(outcome: Outcome) -> Receipt | str:
    """The receipt in the answer, or in a sentence why there is none."""
    if not isinstance(outcome, Answered):
        return outcome.detail
    if not 200 <= outcome.status <= 299:
        code = f" {outcome.refusal_code}" if outcome.refusal_code else ""
        return f"The receiver answered {outcome.status}{code}."
    if outcome.receipt is None:
        return f"The receiver answered {outcome.status} without a readable receipt."
    try:
        return parse_receipt(outcome.receipt)
    except InvalidReceipt as invalid:
        return f"The receiver answered {outcome.status}, but {invalid}"


def _is_refusal(answer: Answered, profile: Profile) -> bool:
    if answer.status < 400:
        return False
    is_duplicate = answer.refusal_code in DUPLICATE_CODES
    return is_duplicate or is_definite_refusal(
        profile, status=answer.status, code=answer.refusal_code
    )
