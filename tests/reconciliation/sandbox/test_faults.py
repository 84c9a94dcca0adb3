"""Each fault does exactly what its name says, to the sender, to lookups and to the ledger."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from reconciliation.sandbox.faults import Fault
from reconciliation.sandbox.process import SandboxProcess
from tests.reconciliation.sandbox.conftest import eventually


def counts(sandbox: SandboxProcess, name: str) -> tuple[int, int]:
    """Requests and effects of an operation."""
    ledger = sandbox.ledger(name)
    return ledger["requests"], len(ledger["effects"])


def test_lose_reply_commits_and_closes_without_a_word(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "lose_reply")

    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)

    assert counts(sandbox, name) == (1, 1)
    assert sandbox.order(name).json()["status"] == "confirmed"


def test_reset_commits_and_resets_the_connection(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "reset")

    with pytest.raises(httpx.ReadError, match="reset by peer"):
        sandbox.post_order(name)

    assert counts(sandbox, name) == (1, 1)


def test_hang_says_nothing_and_never_makes_an_effect(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "hang", seconds=30)

    with pytest.raises(httpx.ReadTimeout):
        sandbox.post_order(name, timeout=0.3)

    assert counts(sandbox, name) == (1, 0)
    assert sandbox.order(name).status_code == 404


def test_hang_closes_without_a_word_when_its_time_is_over(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "hang", seconds=0.3)
    began_at = time.monotonic()

    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)

    assert time.monotonic() - began_at >= 0.3
    assert counts(sandbox, name) == (1, 0)


def test_answer_late_commits_at_once(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "answer_late", seconds=30)

    with pytest.raises(httpx.ReadTimeout):
        sandbox.post_order(name, timeout=0.3)

    assert counts(sandbox, name) == (1, 1)


def test_answer_late_answers_in_the_end(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "answer_late", seconds=0.4)
    began_at = time.monotonic()

    answer = sandbox.post_order(name)

    assert time.monotonic() - began_at >= 0.4
    assert answer.json()["operation_id"] == name


def test_commit_late_says_nothing_and_makes_its_effect_later(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "commit_late", seconds=0.5)

    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)

    assert counts(sandbox, name) == (1, 0)
    assert sandbox.order(name).status_code == 404
    assert eventually(lambda: counts(sandbox, name) == (1, 1))
    assert sandbox.order(name).json()["status"] == "confirmed"


def test_a_late_commit_makes_no_second_effect_under_its_key(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "commit_late", seconds=0.3)
    sandbox.fault(f"{name}-b", "commit_late", seconds=0.4)
    for each in (name, f"{name}-b"):
        with pytest.raises(httpx.RemoteProtocolError):
            sandbox.post_order(each)

    sandbox.post_order(name)

    # The second is due later than the first, so both have been worked off.
    assert eventually(lambda: counts(sandbox, f"{name}-b") == (1, 1))
    assert counts(sandbox, name) == (2, 1)


def test_a_late_commit_is_made_once_even_when_its_key_is_forgotten(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "commit_late", seconds=0.1)
    sandbox.fault(name, "forget_key")
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)
    assert eventually(lambda: counts(sandbox, name) == (1, 1))
    sandbox.fault(f"{name}-b", "commit_late", seconds=0.1)
    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(f"{name}-b")

    assert eventually(lambda: counts(sandbox, f"{name}-b") == (1, 1))
    assert counts(sandbox, name) == (1, 1)


def test_error_after_commit_is_a_503_over_an_effect(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "error_after_commit")

    answer = sandbox.post_order(name)

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert counts(sandbox, name) == (1, 1)


def test_garbage_reply_is_a_200_that_cannot_be_read(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "garbage_reply", times=2)

    torn, page = sandbox.post_order(name), sandbox.post_order(name)

    assert (torn.status_code, torn.headers["content-type"]) == (200, "application/json")
    assert torn.text.startswith('{"operation_id"')
    assert not torn.text.endswith("}")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html")
    assert counts(sandbox, name) == (2, 1)


def test_redirect_makes_no_effect_and_a_followed_one_is_a_second_request(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "redirect")

    answer = sandbox.post_order(name)

    assert (answer.status_code, answer.headers["location"]) == (307, "/moved/orders")
    assert counts(sandbox, name) == (1, 0)
    followed = httpx.request(
        "POST",
        sandbox.url + answer.headers["location"],
        content=answer.request.content,
        headers=answer.request.headers,
        trust_env=False,
    )
    assert followed.json()["status"] == "confirmed"
    assert counts(sandbox, name) == (2, 1)


def test_pending_stays_until_the_fault_is_deleted(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "pending")

    receipt = sandbox.post_order(name).json()

    assert (receipt["status"], receipt["confirmed"]) == ("pending", False)
    assert sandbox.order(name).json() == receipt
    sandbox.clear_faults(name)
    settled = {**receipt, "status": "confirmed", "confirmed": True}
    assert sandbox.order(name).json() == settled


def test_pending_ends_by_itself_after_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "pending", seconds=0.4)

    assert sandbox.post_order(name).json()["status"] == "pending"
    assert eventually(lambda: sandbox.order(name).json()["status"] == "confirmed")


def test_duplicate_is_answered_without_a_receipt_over_an_effect(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "duplicate")

    answer = sandbox.post_order(name)

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "duplicate")
    assert set(answer.json()) == {"error"}
    assert counts(sandbox, name) == (1, 1)


def test_refuse_is_definite_and_stays_with_the_key(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "refuse")

    first, again = sandbox.post_order(name), sandbox.post_order(name)

    assert first.status_code == again.status_code == 422
    assert first.json() == again.json()
    assert first.json()["error"]["code"] == "order_refused"
    assert counts(sandbox, name) == (2, 0)
    assert sandbox.order(name).status_code == 404
    assert sandbox.post_order(name, key=f"new-{name}").status_code == 200


def test_refuse_leaves_an_effect_that_was_made_before(sandbox: SandboxProcess, name: str) -> None:
    receipt = sandbox.post_order(name).json()
    sandbox.fault(name, "refuse")

    assert sandbox.post_order(name).json() == receipt


@pytest.mark.parametrize(
    ("payload", "changed"),
    [
        ({"sku": "vanilla", "quantity": 6}, {"sku": "vanilla", "quantity": 9}),
        ({"amount": "9.50"}, {"amount": "9.50 (changed)"}),
        ({"is_gift": True}, {"is_gift": True, "changed": True}),
        ([1], {"changed_from": [1]}),
    ],
)
def test_change_payload_makes_and_shows_another_payload(
    sandbox: SandboxProcess, name: str, payload: object, changed: object
) -> None:
    sandbox.fault(name, "change_payload")

    receipt = sandbox.post_order(name, payload).json()

    assert receipt["payload"] == changed
    assert sandbox.order(name).json() == receipt
    assert sandbox.post_order(name, payload).json() == receipt


def test_ignore_key_makes_a_second_effect_under_one_key(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "ignore_key")

    effects = [sandbox.post_order(name).json()["effect_id"] for _ in range(3)]

    assert effects[0] != effects[1] == effects[2]
    assert sandbox.ledger(name) == {"requests": 3, "effects": effects[:2]}


def test_forget_key_makes_a_later_order_a_new_one(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "forget_key")

    effects = [sandbox.post_order(name).json()["effect_id"] for _ in range(3)]

    assert effects[0] != effects[1] == effects[2]


def test_forget_key_reaches_a_key_that_was_used_before(sandbox: SandboxProcess, name: str) -> None:
    first = sandbox.post_order(name).json()["effect_id"]
    sandbox.fault(name, "forget_key")

    assert sandbox.post_order(name).json()["effect_id"] != first


def test_forget_key_remembers_for_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "forget_key", seconds=0.5)

    first = sandbox.post_order(name).json()

    assert sandbox.post_order(name).json() == first
    assert eventually(lambda: sandbox.post_order(name).json() != first)
    assert len(sandbox.ledger(name)["effects"]) == 2


def test_hide_lookup_hides_from_lookups_and_lists_but_not_from_the_ledger(
    sandbox: SandboxProcess, name: str
) -> None:
    environment = "hiding"
    sandbox.fault(name, "hide_lookup", environment=environment)

    sandbox.post_order(name, environment=environment)

    hidden = [sandbox.order(name, environment=environment) for _ in range(3)]
    assert {answer.status_code for answer in hidden} == {404}
    assert hidden[0].json() == {"error": "not_found", "operation_id": name}
    listed = sandbox.call("GET", "/orders", environment=environment).json()
    assert (listed["orders"], listed["total"]) == ([], 0)
    assert len(sandbox.ledger(name, environment=environment)["effects"]) == 1
    sandbox.clear_faults(name, environment=environment)
    assert sandbox.order(name, environment=environment).json()["operation_id"] == name


def test_hide_lookup_hides_as_often_as_asked(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "hide_lookup", times=2)
    assert sandbox.order(name).status_code == 404  # there is nothing to hide yet
    sandbox.post_order(name)

    assert [sandbox.order(name).status_code for _ in range(3)] == [404, 404, 200]


def test_hide_lookup_hides_for_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "hide_lookup", seconds=0.5)
    sandbox.post_order(name)

    assert sandbox.order(name).status_code == 404
    assert eventually(lambda: sandbox.order(name).status_code == 200)


def test_faults_of_different_places_strike_together(sandbox: SandboxProcess, name: str) -> None:
    for fault in ("hide_lookup", "change_payload", "lose_reply"):
        sandbox.fault(name, fault)

    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)

    assert counts(sandbox, name) == (1, 1)
    assert sandbox.order(name).status_code == 404
    sandbox.clear_faults(name)
    assert sandbox.order(name).json()["payload"]["quantity"] == 9


def test_a_fault_strikes_as_often_as_asked_then_no_more(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "error_after_commit", times=2)

    assert [sandbox.post_order(name).status_code for _ in range(3)] == [503, 503, 200]


def test_posts_at_the_same_time_count_a_fault_down_together(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "error_after_commit", times=7)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: sandbox.post_order(name, timeout=30), range(20)))

    assert [answer.status_code for answer in answers].count(503) == 7
    assert counts(sandbox, name) == (20, 1)


def test_a_fault_strikes_its_own_operation_and_environment_only(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "refuse")

    assert sandbox.post_order(f"{name}-b").status_code == 200
    assert sandbox.post_order(name, environment="staging").status_code == 200
    assert sandbox.post_order(name).status_code == 422


def test_armed_faults_are_listed_and_deleted(sandbox: SandboxProcess, name: str) -> None:
    environment = "arming"
    sandbox.fault(name, "hang", seconds=2.5, environment=environment)
    sandbox.fault(name, "hide_lookup", environment=environment)

    listed = sandbox.call("GET", "/faults", environment=environment).json()["faults"]

    assert listed == [
        {"operation_id": name, "fault": "hang", "seconds": 2.5, "times": 1},
        {"operation_id": name, "fault": "hide_lookup", "seconds": None, "times": None},
    ]
    deleted = sandbox.call("DELETE", f"/faults/{name}", environment=environment)
    assert deleted.json() == {"operation_id": name, "deleted": 2}
    assert sandbox.post_order(name, environment=environment).status_code == 200


@pytest.mark.parametrize("fault", list(Fault))
def test_every_fault_can_be_armed_and_keeps_the_count_of_requests(
    sandbox: SandboxProcess, name: str, fault: Fault
) -> None:
    sandbox.fault(name, fault)

    with suppress(httpx.TransportError):
        sandbox.post_order(name, timeout=0.3)

    requests, effects = counts(sandbox, name)
    assert requests == 1
    assert effects <= 1
