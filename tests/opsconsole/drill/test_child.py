"""A child of a drill: what it says, how it ends, and that no wait for it lasts for ever."""

import time

import pytest

from opsconsole.drill.child import Child
from opsconsole.drill.failing import Failed

AGENT = "opsconsole.drill.agent"


@pytest.fixture
def start():
    children = []

    def start(**given):
        words = {
            "url": "http://127.0.0.1:9",
            "token": "t",
            "sandbox": "http://127.0.0.1:9",
            "lease_seconds": 6,
            "within_seconds": 60,
            "request": {"key": "k", "environment": "drill"},
            **given,
        }
        children.append(Child(AGENT, words))
        return children[-1]

    yield start
    for child in children:
        child.close()


def test_it_answers_line_by_line(start):
    child = start()
    child.tell({"do": "look"})
    assert child.answer(20)["error"].startswith("ConnectError")
    child.tell({"do": "look"})
    assert child.answer(20)["error"].startswith("ConnectError")
    assert not child.has_ended


def test_only_a_kill_counts_as_one(start):
    killed, over = start(), start()
    killed.kill()
    assert killed.was_killed(20)
    over.tell({"do": "no such act"})
    assert not over.was_killed(20)
    assert "no such act" in over.words()


def test_an_end_instead_of_an_answer_says_how(start):
    child = start()
    child.kill()
    with pytest.raises(Failed, match=r"The agent process ended \(signal 9\) without an answer"):
        child.answer(20)


def test_no_wait_lasts_longer_than_is_said(start):
    child = start()
    child.pause()
    began_at = time.monotonic()
    with pytest.raises(Failed, match="did not answer in time"):
        child.answer(0.2)
    with pytest.raises(Failed, match="did not end in time"):
        child.was_killed(0.2)
    assert time.monotonic() - began_at < 5
    child.kill()
    assert child.was_killed(20)


def test_an_orphan_ends_by_itself(start):
    child = start(within_seconds=1)
    assert not child.was_killed(20)
    assert child.has_ended


def test_one_that_is_gone_can_not_be_told_anything(start):
    child = start()
    child.kill()
    child.was_killed(20)
    with pytest.raises(Failed, match="can't be told"):
        child.tell({"do": "look"})
