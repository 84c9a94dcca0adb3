"""Faults of the answer: what the sender hears, and what truly happened."""

import time

import httpx
import pytest

from reconciliation.sandbox.process import SandboxProcess
from tests.reconciliation.sandbox.conftest import counts, eventually


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


def test_duplicate_is_answered_without_a_receipt_over_an_effect(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "duplicate")

    answer = sandbox.post_order(name)

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "duplicate")
    assert set(answer.json()) == {"error"}
    assert counts(sandbox, name) == (1, 1)
