"""What every connector with an interface keeps, whatever its receiver does to it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from operations.protocol.payloads import dumps, parse_json
from operations.receivers.base import Answered, CouldNotAsk, Found, NoAnswer, NotFound
from tests.operations.receivers.conftest import PAYLOAD, Rig
from tests.reconciliation.sandbox.conftest import eventually


def look_up(rig: Rig, key: str) -> object:
    """One lookup with time to spare."""
    return rig.receiver.look_up(key, environment="production", deadline_seconds=5)


def test_a_send_brings_back_the_receipt(rig: Rig, key: str) -> None:
    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert outcome.status == 200
    assert outcome.receipt.items() <= parse_json(outcome.raw).items()
    assert outcome.receipt["status"] == "confirmed"
    assert outcome.receipt["operation_id"] == key
    assert dumps(outcome.receipt["payload"]) == PAYLOAD
    assert outcome.refusal_code is None
    assert rig.counts(key) == (1, 1)


def test_the_same_arguments_render_the_same_bytes(rig: Rig, key: str) -> None:
    first, again = rig.request(key), rig.request(key)

    assert first == again
    assert PAYLOAD.encode() in first.body


def test_the_same_key_twice_makes_one_effect(rig: Rig, key: str) -> None:
    request = rig.request(key)

    first, again = (rig.receiver.send(request, deadline_seconds=5) for _ in range(2))

    assert isinstance(first, Answered)
    assert isinstance(again, Answered)
    assert first.receipt == again.receipt
    assert rig.counts(key) == (2, 1)


@pytest.mark.parametrize("fault", ["lose_reply", "reset", "answer_late"])
def test_a_lost_answer_is_no_answer_and_the_lookup_finds_the_receipt(
    rig: Rig, key: str, fault: str
) -> None:
    rig.books.fault(key, fault)

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=0.5)

    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is True
    assert rig.counts(key) == (1, 1)
    found = look_up(rig, key)
    assert isinstance(found, Found)
    assert found.receipt_value["status"] == "confirmed"
    assert dumps(found.receipt_value["payload"]) == PAYLOAD


def test_a_receiver_that_hangs_is_left_at_the_deadline(rig: Rig, key: str) -> None:
    rig.books.fault(key, "hang")
    began_at = time.monotonic()

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=0.5)

    assert 0.5 <= time.monotonic() - began_at < 1
    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is True
    assert rig.counts(key) == (1, 0)
    assert isinstance(look_up(rig, key), NotFound)


def test_a_late_success_is_not_found_first_and_found_then(rig: Rig, key: str) -> None:
    rig.books.fault(key, "commit_late", seconds=0.4)

    assert isinstance(rig.receiver.send(rig.request(key), deadline_seconds=5), NoAnswer)

    assert isinstance(look_up(rig, key), NotFound)
    assert eventually(lambda: rig.counts(key) == (1, 1))
    assert isinstance(look_up(rig, key), Found)


def test_a_server_error_over_an_effect_is_an_answer_without_a_receipt(rig: Rig, key: str) -> None:
    rig.books.fault(key, "error_after_commit")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.receipt) == (503, None)
    assert rig.counts(key) == (1, 1)


def test_garbage_is_an_answer_without_a_receipt_and_kept_raw(rig: Rig, key: str) -> None:
    rig.books.fault(key, "garbage_reply", times=2)
    request = rig.request(key)

    torn, page = (rig.receiver.send(request, deadline_seconds=5) for _ in range(2))

    assert isinstance(torn, Answered)
    assert isinstance(page, Answered)
    assert torn.receipt is page.receipt is None
    assert torn.raw.startswith(b'{"operation_id"')
    assert page.raw.startswith(b"<!doctype html>")


def test_a_redirect_is_not_followed(rig: Rig, key: str) -> None:
    rig.books.fault(key, "redirect")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.receipt) == (307, None)
    assert rig.counts(key) == (1, 0)


def test_pending_is_handed_on_as_pending(rig: Rig, key: str) -> None:
    rig.books.fault(key, "pending")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert outcome.receipt["status"] == "pending"
    found = look_up(rig, key)
    assert isinstance(found, Found)
    assert found.receipt_value["status"] == "pending"


def test_a_refusal_carries_the_receivers_own_code(rig: Rig, key: str) -> None:
    rig.books.fault(key, "refuse")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.refusal_code, outcome.receipt) == (422, "order_refused", None)
    assert rig.counts(key) == (1, 0)


def test_duplicate_carries_its_code_and_no_receipt(rig: Rig, key: str) -> None:
    rig.books.fault(key, "duplicate")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.refusal_code, outcome.receipt) == (409, "duplicate", None)


def test_a_used_key_with_another_payload_is_not_called_a_refused_order(rig: Rig, key: str) -> None:
    rig.receiver.send(rig.request(key), deadline_seconds=5)

    outcome = rig.receiver.send(rig.request(key, '{"quantity":7}'), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.refusal_code) == (422, "idempotency_key_reused")
    assert rig.counts(key) == (2, 1)


def test_a_changed_payload_is_handed_on_as_the_receiver_says_it(rig: Rig, key: str) -> None:
    rig.books.fault(key, "change_payload")

    outcome = rig.receiver.send(rig.request(key), deadline_seconds=5)

    assert isinstance(outcome, Answered)
    assert dumps(outcome.receipt["payload"]) == PAYLOAD.replace(":6,", ":9,")


@pytest.mark.parametrize("fault", ["ignore_key", "forget_key"])
def test_a_lookup_shows_the_latest_of_two_effects(rig: Rig, key: str, fault: str) -> None:
    rig.books.fault(key, fault)
    request = rig.request(key)

    first, second = (rig.receiver.send(request, deadline_seconds=5) for _ in range(2))

    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert first.receipt["effect_id"] != second.receipt["effect_id"]
    found = look_up(rig, key)
    assert isinstance(found, Found)
    assert found.receipt_value["effect_id"] == second.receipt["effect_id"]


def test_a_hidden_record_is_not_found_until_it_shows(rig: Rig, key: str) -> None:
    rig.books.fault(key, "hide_lookup")
    rig.receiver.send(rig.request(key), deadline_seconds=5)

    hidden = look_up(rig, key)
    rig.books.clear_faults(key)

    assert isinstance(hidden, NotFound)
    assert isinstance(look_up(rig, key), Found)
    assert rig.counts(key) == (1, 1)


def test_the_unknown_is_not_found_and_asking_changes_nothing(rig: Rig, key: str) -> None:
    assert isinstance(look_up(rig, key), NotFound)

    assert rig.counts(key) == (0, 0)


@pytest.mark.parametrize("odd", [".", "..", "a/b", "a b", "9%", "q?x=1#y", "a+&c", '"\\', "~"])
def test_any_key_is_sent_and_looked_up_as_it_is(rig: Rig, key: str, odd: str) -> None:
    odd = odd if set(odd) == {"."} else key + odd

    assert isinstance(rig.receiver.send(rig.request(odd), deadline_seconds=5), Answered)

    found = look_up(rig, odd)
    assert isinstance(found, Found)
    assert found.receipt_value["operation_id"] == odd


def test_another_environment_is_never_asked(rig: Rig, key: str) -> None:
    with pytest.raises(ValueError, match="expected environment production, got staging"):
        rig.receiver.look_up(key, environment="staging", deadline_seconds=5)
    with pytest.raises(ValueError, match="expected environment production, got staging"):
        rig.receiver.render(key=key, idempotency_key=key, payload_text="{}", environment="staging")


def test_calls_at_the_same_time_do_not_mix(rig: Rig, key: str) -> None:
    keys = [f"{key}-{number}" for number in range(24)]

    def send(one: str) -> object:
        return rig.receiver.send(rig.request(one), deadline_seconds=20)

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(send, keys))

    for one, outcome in zip(keys, outcomes, strict=True):
        assert isinstance(outcome, Answered)
        assert outcome.receipt["operation_id"] == one
        assert rig.counts(one) == (1, 1)


def test_a_receiver_that_is_down_is_proof_that_nothing_was_sent(rig: Rig, key: str) -> None:
    request = rig.request(key)
    rig.books.kill()
    try:
        outcome = rig.receiver.send(request, deadline_seconds=5)
        looked_up = look_up(rig, key)
    finally:
        rig.books.start()

    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False
    assert isinstance(looked_up, CouldNotAsk)
    assert "refused" in looked_up.detail
    assert rig.counts(key) == (0, 0)


def test_a_deadline_that_is_over_sends_nothing(rig: Rig, key: str) -> None:
    for seconds in (0, -3):
        outcome = rig.receiver.send(rig.request(key), deadline_seconds=seconds)

        assert isinstance(outcome, NoAnswer)
        assert outcome.sent is False
    assert rig.counts(key) == (0, 0)
