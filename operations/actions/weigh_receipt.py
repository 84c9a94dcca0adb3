"""What a receipt is worth for its operation as it stands, and what a confirmation changes."""

from datetime import datetime, timedelta
from typing import Any

from operations.actions.judge_receipt import judge_receipt, with_taken_effect
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Judgement
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.settlement import OWN_AUTHORITY, Consequence, Evidence, consequence
from operations.protocol.states import Channel, Grade, State, Verdict
from operations.queries.older_words import is_older_word


def weigh_receipt(
    operation: Operation,
    value: ReceiptValue,
    profile: Profile,
    *,
    channel: Channel,
    attempt_count: int,
    is_effect_taken: bool,
    is_stale: bool = False,
) -> tuple[Judgement, Consequence]:
    """The judgement of the receipt itself, and what follows from it in the operation's state.

    `is_effect_taken`: its effect confirmed another operation of that receiver; one effect
    confirms one.
    """
    judgement = judge_receipt(operation, value, profile)
    has_both = bool(operation.effect_id and value.effect_id)
    follows = consequence(
        Evidence(
            state=State(operation.state),
            has_attempt=attempt_count > 0,
            is_only_attempt=attempt_count == 1,
            channel=channel,
            judged=judgement.verdict,
            status=value.status,
            has_differences=bool(judgement.differences),
            is_same_effect=operation.effect_id == value.effect_id if has_both else None,
            is_effect_taken=is_effect_taken,
            is_stale=is_stale,
            is_only_reported=operation.grade == Grade.RECEIPT_REPORTED,
            is_older=channel == Channel.WEBHOOK and is_older_word(operation, value),
        )
    )
    if is_effect_taken and follows.verdict == Verdict.MISMATCH:
        judgement = with_taken_effect(judgement, value.effect_id)
    return judgement, follows


def confirmation(
    row: Receipt, profile: Profile, *, channel: Channel, actor: Actor, at: datetime
) -> dict[str, Any]:
    """The columns of an operation that this receipt confirms."""
    is_reported = channel == Channel.RESPONSE and actor.agent_id is not None
    asks_again = is_reported and profile.has_lookup
    return {
        "effect_id": row.effect_id,
        "grade": str(Grade.RECEIPT_REPORTED if is_reported else Grade.RECEIPT),
        # An agent's own word is looked up once the receiver can show it (section 2).
        "next_try_at": at + timedelta(seconds=profile.lookup_lag_seconds) if asks_again else None,
    }


def corroborates(operation: Operation, row: Receipt, channel: Channel) -> bool:
    """Whether the receiver's own word raises the grade of a confirmation to `receipt`.

    It is enough where it names the effect that an agent reported; an attested confirmation needs
    all of it said.
    """
    is_enough = operation.grade == Grade.RECEIPT_REPORTED or not row.differences
    return channel in OWN_AUTHORITY and operation.grade != Grade.RECEIPT and is_enough


def said_of(row: Receipt) -> dict[str, Any]:
    """What an entry of the trail says of a receipt."""
    return {
        "receipt": row.pk,
        "channel": str(row.channel),
        "verdict": str(row.verdict),
        "effect_id": row.effect_id,
    }
