"""A child of a drill: what it says, how it ends, and that no wait for it lasts for ever."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from opsconsole.drill.child import Child
from opsconsole.drill.failing import Failed
from tests.receiver import eventually

AGENT = "opsconsole.drill.agent"
WORDS = {
    "url": "http://127.0.0.1:9",
    "token": "t",
    "sandbox": "http://127.0.0.1:9",
    "lease_seconds": 6,
    "within_seconds": 60,
    "request": {"key": "k", "environment": "drill"},
}
# A drill in short: one child that it pauses, and then nothing until somebody kills it.
DRILL = f"""
import time
from opsconsole.drill.child import Child
child = Child({AGENT!r}, {WORDS!r})
child.tell({{"do": "look"}})
child.answer(20)
child.pause()
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def start():
    children = []

    def start(**given):
        children.append(Child(AGENT, {**WORDS, **given}))
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


def test_a_killed_drill_leaves_no_paused_child_behind():
    drill = subprocess.Popen([sys.executable, "-c", DRILL], stdout=subprocess.PIPE, text=True)
    with drill:
        child = int(drill.stdout.readline())
        was_paused = eventually(lambda: state_of(child) == "T")
        drill.kill()
    assert was_paused
    assert eventually(lambda: state_of(child) in ("", "Z"))


def state_of(pid: int) -> str:
    """Its letter in the process table: T is stopped, Z over; nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
