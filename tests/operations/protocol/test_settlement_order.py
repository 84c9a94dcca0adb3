"""Rule 4 for a word that was said before the one which it would undo."""

from typing import Any

import pytest

from operations.protocol.receipts import Judged
from operations.protocol.settlement import Consequence, Evidence, consequence
from operations.protocol.states import Channel, Question, ReceiptStatus, State, Verdict
from operations.protocol.transitions import Event


def an_event(state: State, **given: Any) -> Evidence:
    values: dict[str, Any] = {
        "state": state,
        "has_attempt": True,
        "is_only_attempt": True,
        "channel": Channel.WEBHOOK,
        "judged": Judged.NOT_PROOF,
        "status": ReceiptStatus.REFUSED,
        "has_differences": False,
        "is_same_effect": None,
        **given,
    }
    return Evidence(**values)


@pytest.mark.parametrize(
    ("state", "status", "newer"),
    [
        (
            State.CONFIRMED,
            ReceiptStatus.REFUSED,
            Consequence(Verdict.KEPT, None, Question.CONTRADICTION, needs_explanation=True),
        ),
        (
            State.REFUSED,
            ReceiptStatus.PENDING,
            Consequence(Verdict.LATE, None, Question.LATE_RECEIPT, needs_explanation=True),
        ),
        (
            State.SENT_UNKNOWN,
            ReceiptStatus.REFUSED,
            Consequence(Verdict.KEPT, Event.REFUSE),
        ),
    ],
)
def test_an_older_word_is_kept_where_a_newer_one_would_count(state, status, newer) -> None:
    assert consequence(an_event(state, status=status)) == newer
    assert consequence(an_event(state, status=status, is_older=True)) == Consequence(Verdict.KEPT)


@pytest.mark.parametrize("state", [State.NOT_EXECUTED, State.CANCELLED])
def test_what_people_found_is_asked_about_however_old_the_word_is(state) -> None:
    older = an_event(state, status=ReceiptStatus.PENDING, is_older=True)
    assert consequence(older).question == Question.LATE_RECEIPT


def test_an_older_yes_after_a_no_is_asked_about() -> None:
    older = an_event(
        State.REFUSED, status=ReceiptStatus.CONFIRMED, judged=Judged.MATCH, is_older=True
    )
    assert consequence(older).question == Question.LATE_RECEIPT
