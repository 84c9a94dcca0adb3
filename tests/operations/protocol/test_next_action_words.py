"""What an agent is told: the question, the instant and the reason are this operation's own."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from operations.protocol.choices import next_action
from operations.protocol.facts import Facts
from operations.protocol.states import Executor, Grade, NextActionCode, Question, State

from .build import (
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_profile,
    a_receipt,
    after,
    facts_of,
    never_sent,
)

NOW = after(SEND_DEADLINE_AT, 10)
OVER = after(QUARANTINE_ENDS_AT, 1)
WAITING = never_sent(State.AWAITING_APPROVAL)
CONSOLES = never_sent(State.READY, executor=Executor.CONSOLE)
ASKED = {"open_questions": frozenset({Question.RECEIPT_MISMATCH})}
UNKNOWN_BUT = "It is not known whether it happened; "
HELD_UNTIL = "The operation is held until a person has answered: "


def told(facts: Facts, now: datetime = NOW, **profile: Any) -> tuple[str, datetime | None]:
    action = next_action(facts, a_profile(**profile), now)
    assert action.remedy.endswith(".")
    return action.sentence, action.opens_at


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (WAITING, "The request waits for people to decide; nothing was sent in this round."),
        (
            replace(WAITING, approval_expires_at=after(NOW, 60)),
            "The request waits for people to decide until 10:00:21 UTC; "
            "nothing was sent in this round.",
        ),
        (replace(WAITING, **ASKED), f"{HELD_UNTIL}receipt_mismatch."),
        (replace(WAITING, receipts=(a_receipt(),)), f"{HELD_UNTIL}unexplained evidence."),
        (
            never_sent(State.READY, is_halted=True),
            "Dispatch is halted here; nothing may be sent until a person lifts the halt.",
        ),
        (CONSOLES, "The console's dispatcher sends this one."),
        (replace(CONSOLES, next_try_at=NOW), "The console's dispatcher sends this one."),
        (replace(CONSOLES, next_try_at=after(NOW, -1)), "The console's dispatcher sends this one."),
        (facts_of(), f"{UNKNOWN_BUT}the receiver is being looked up."),
        (facts_of(attempts=()), f"{UNKNOWN_BUT}the receiver is being looked up."),
        (facts_of(next_try_at=NOW), f"{UNKNOWN_BUT}the receiver is being looked up."),
        (
            facts_of(next_try_at=after(NOW, -1)),
            f"{UNKNOWN_BUT}the receiver is being looked up.",
        ),
        (
            facts_of(state=State.REFUSED),
            "The receiver refused it; nothing is sent under this key again.",
        ),
        (
            facts_of(state=State.NOT_EXECUTED),
            "People found that it did not happen; nothing is sent under this key again.",
        ),
        (
            facts_of(state=State.CONFIRMED, grade=Grade.RECEIPT),
            "It happened; known by the receiver's own receipt.",
        ),
        (
            facts_of(state=State.CONFIRMED, grade=Grade.RECEIPT, **ASKED),
            "It happened; known by the receiver's own receipt. "
            "A person is asked about it: receipt_mismatch.",
        ),
    ],
)
def test_the_sentence_tells_what_is_so_and_promises_no_instant(facts: Facts, sentence: str) -> None:
    assert told(facts) == (sentence, None)


def test_a_claim_is_waited_out_with_a_remedy() -> None:
    held = never_sent(State.READY, machine_claim_expires_at=after(NOW, 30))
    assert told(held) == ("It is claimed until 09:59:51 UTC.", after(NOW, 30))


def test_without_a_lookup_evidence_is_waited_for_until_the_quarantines_end() -> None:
    assert told(facts_of(), has_lookup=False) == (
        f"{UNKNOWN_BUT}evidence may still come until 10:04:11 UTC, "
        "then a person has to ask the receiver.",
        QUARANTINE_ENDS_AT,
    )
    assert told(facts_of(), OVER, has_lookup=False) == (
        f"{UNKNOWN_BUT}a person has to answer: unknown_outcome.",
        None,
    )


def test_with_a_lookup_the_end_of_the_quarantine_asks_nobody() -> None:
    action = next_action(facts_of(), a_profile(), OVER)
    assert action.code is NextActionCode.WAIT_FOR_SETTLEMENT
