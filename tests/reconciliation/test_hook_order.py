"""Events that arrive in another order than they were said in: their own time counts."""

from datetime import UTC, datetime, timedelta
from itertools import count, permutations

import pytest

from operations.actions.record_receipt import record_receipt
from operations.models import AuditEntry
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Question, State, Verdict
from tests.build import a_marked_operation, a_receipt, agent_actor, receive
from tests.receiver import configure
from tests.reconciliation.hook_calls import message, post
from tests.signing import signed

pytestmark = pytest.mark.django_db
_numbers = count(1)
NOON = datetime(2025, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _hooks(settings):
    configure(settings)
    settings.ROOT_URLCONF = "reconciliation.hooks"


def tell(operation, status, minutes, **more):
    """One event, said that many minutes after noon; what became of it."""
    at = (NOON + timedelta(minutes=minutes)).isoformat()
    given = {"effect_id": "eff-order", **more}
    body = message(a_receipt(operation, status=status, occurred_at=at, **given))
    answer = post(body, signed(body, webhook_id=f"msg_{next(_numbers)}"))
    assert answer.status_code == 200
    operation.refresh_from_db()
    return answer.json()["outcome"]


def questions(operation):
    return list(operation.reviews.values_list("question", flat=True))


def test_a_no_that_was_said_before_the_yes_asks_nobody():
    operation, _ = a_marked_operation()
    tell(operation, "confirmed", 5)
    assert tell(operation, "refused", 3, effect_id=None) == Verdict.KEPT
    assert (operation.state, questions(operation)) == (State.CONFIRMED, [])
    assert not operation.receipts.filter(needs_explanation=True).exists()


@pytest.mark.parametrize("minutes", [5, 7])
def test_a_no_that_was_said_with_or_after_the_yes_is_a_contradiction(minutes):
    operation, _ = a_marked_operation()
    tell(operation, "confirmed", 5)
    tell(operation, "refused", minutes, effect_id=None)
    assert (operation.state, questions(operation)) == (State.CONFIRMED, [Question.CONTRADICTION])


def test_a_pending_that_was_said_before_the_yes_asks_nobody():
    operation, _ = a_marked_operation()
    tell(operation, "confirmed", 5)
    tell(operation, "pending", 3)
    assert (operation.state, questions(operation)) == (State.CONFIRMED, [])


def test_a_pending_that_was_said_before_the_no_asks_nobody():
    operation, _ = a_marked_operation()
    tell(operation, "refused", 5, effect_id=None)
    assert operation.state == State.REFUSED
    assert tell(operation, "pending", 3) == Verdict.KEPT
    assert (operation.state, questions(operation)) == (State.REFUSED, [])


def test_a_pending_that_was_said_after_the_no_is_asked_about():
    operation, _ = a_marked_operation()
    tell(operation, "refused", 5, effect_id=None)
    tell(operation, "pending", 7)
    assert questions(operation) == [Question.LATE_RECEIPT]


def test_a_no_that_was_said_before_a_pending_settles_nothing():
    operation, _ = a_marked_operation()
    tell(operation, "pending", 5)
    tell(operation, "refused", 3, effect_id=None)
    assert operation.state == State.SENT_UNKNOWN
    tell(operation, "refused", 7, effect_id=None)
    assert operation.state == State.REFUSED


def test_a_yes_that_was_said_before_the_no_still_speaks_of_an_effect():
    operation, _ = a_marked_operation()
    tell(operation, "refused", 5, effect_id=None)
    assert tell(operation, "confirmed", 3) == Verdict.LATE
    assert (operation.state, questions(operation)) == (State.REFUSED, [Question.LATE_RECEIPT])


def test_a_yes_dated_in_the_future_makes_no_later_word_an_older_one():
    operation, _ = a_marked_operation()
    tell(operation, "confirmed", 60 * 24 * 365 * 20)
    now = (datetime.now(tz=UTC) + timedelta(seconds=5) - NOON) / timedelta(minutes=1)
    tell(operation, "refused", now, effect_id=None)
    assert questions(operation) == [Question.CONTRADICTION]


def test_the_date_that_an_agent_gives_makes_no_word_of_the_receiver_an_older_one():
    operation, attempt = a_marked_operation()
    at = (NOON + timedelta(minutes=50)).isoformat()
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(a_receipt(operation, effect_id="eff-order", occurred_at=at)),
        channel=Channel.RESPONSE,
        raw=b"{}",
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )
    tell(operation, "refused", 3, effect_id=None)
    assert questions(operation) == [Question.CONTRADICTION]


def test_a_record_that_is_looked_up_is_the_word_of_now_whatever_date_it_bears():
    operation, _ = a_marked_operation()
    tell(operation, "confirmed", 5)
    refused = a_receipt(operation, status="refused", effect_id=None, occurred_at=NOON.isoformat())
    receive(operation, refused)
    assert questions(operation) == [Question.CONTRADICTION]


@pytest.mark.parametrize("order", list(permutations([("pending", 2), ("confirmed", 3)])))
def test_a_pending_and_a_yes_end_confirmed_once_in_each_order(order):
    operation, _ = a_marked_operation()
    for status, minutes in order:
        tell(operation, status, minutes)
    assert (operation.state, questions(operation)) == (State.CONFIRMED, [])
    assert AuditEntry.objects.filter(operation=operation, event="confirm").count() == 1
