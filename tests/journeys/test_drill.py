"""`manage.py drill` on a running console: every row, and one that fails for a reason of its own."""

import re
import signal
import time

from operations.actions.registration import idempotency_key_for
from tests.journeys.person import Person
from tests.journeys.test_people import sees

AGENT, CONSOLE = "agent", "console"
# Window, sender, kills, requests, effects: written out here, so that nobody loosens a drill alone.
ROWS = {
    ("Before the mark", AGENT): (1, 1, 1),
    ("After the mark, before the call", AGENT): (1, 0, 0),
    ("After the receiver committed, before its response", AGENT): (1, 1, 1),
    ("After the response, before the report", AGENT): (1, 1, 1),
    ("After confirmation", AGENT): (1, 1, 1),
    ("While approval is pending", AGENT): (1, 0, 0),
    ("Before the mark", CONSOLE): (1, 1, 1),
    ("After the mark, before the call", CONSOLE): (1, 0, 0),
    ("After the receiver committed, before its response", CONSOLE): (1, 1, 1),
    ("After the response, before the local save", CONSOLE): (1, 1, 1),
    ("After confirmation", CONSOLE): (1, 1, 1),
    ("Two claimants at once", AGENT): (0, 1, 1),
    ("A holder that sleeps past its lease", AGENT): (0, 1, 1),
    ("A receipt of another payload", AGENT): (0, 1, 1),
    ("A broker message that is lost", CONSOLE): (1, 1, 1),
    ("A broker message that comes ten times", CONSOLE): (0, 1, 1),
}
OUTCOMES = {
    "After the mark, before the call": "sent, unknown; a person is asked, nobody sends",
    "Two claimants at once": "confirmed; one 201, one already_claimed (409)",
    "A holder that sleeps past its lease": "confirmed; the old token's report was refused and kept",
    "A broker message that is lost": "confirmed; the sweep found it",
}
WITHIN_SECONDS = 200


def rows_of(output: str) -> dict[tuple[str, str], tuple[tuple[int, ...], str, str]]:
    """Counts, outcome and verdict by window and sender, from the table that was printed."""
    lines = re.findall(
        r"^(\S.*?) {2,}(agent|console) +(\d+) +(\d+) +(\d+) {2}(.+?) {2,}(passed|failed)$",
        output,
        flags=re.MULTILINE,
    )
    return {
        (window, sender): (tuple(map(int, counts)), outcome, verdict)
        for window, sender, *counts, outcome, verdict in lines
    }


def test_every_window_is_drilled_and_its_result_is_kept_on_a_page(world):
    code, output = world.run("drill", "--seed", "11", seconds=WITHIN_SECONDS)
    found = rows_of(output)
    assert {row: counts for row, (counts, *_) in found.items()} == ROWS, output
    assert {verdict for *_, verdict in found.values()} == {"passed"}, output
    assert code == 0
    for (window, _), (_, outcome, _) in found.items():
        assert outcome == OUTCOMES.get(window, outcome)
    [number] = re.findall(r"Kept as drill (\d+)", output)
    with Person(world, "viewer") as viewer:
        page = viewer.read(f"/drills/{number}/")
        sees(page, f"Drill {number}", "16 of 16 passed", "seed 11", "Two claimants at once")
        assert page.text.count('data-tone="good"') == len(ROWS) + 2
        assert "drill" not in re.sub(r"<[^>]+>", " ", viewer.read("/").text)
        sees(viewer.read("/?environment=drill"), "Receipt mismatch")
    assert "Whole: " in world.manage("verify_audit")


def test_a_receiver_that_ignores_keys_and_a_second_sender_fail_their_row(world):
    _, output = world.run("drill", "agent_after_confirmation")
    number = int(re.findall(r"Kept as drill (\d+)", output)[0]) + 1
    key, place = f"drill-{number}-two-claimants", {"environment": "drill"}
    world.sandbox.fault(key, "ignore_key", **place)
    world.sandbox.post_order(key, key=idempotency_key_for("drill", key), **place)
    code, output = world.run("drill", "two_claimants", "agent_after_confirmation")
    found = rows_of(output)
    assert found["Two claimants at once", AGENT][0] == (0, 2, 2), output
    assert found["Two claimants at once", AGENT][2] == "failed"
    assert found["After confirmation", AGENT][2] == "passed"
    assert "Expected 0 kills, 1 request, 1 effect, got 0 kills, 2 requests, 2 effects." in output
    assert "1 of 2 drills failed: two_claimants." in output
    assert code == 1


def test_ctrl_c_ends_it_at_once_and_the_page_says_that_it_lacks_results(world):
    process = world.start_command("drill", "agent_before_call", "console_before_mark")
    for line in process.stdout:
        if "begins" in line and "console-before-mark" in line:
            break
    for _ in range(5):  # as an impatient hand does
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130, output
    assert "Stopped before its end; the drills that were over are kept." in output
    with Person(world, "viewer") as viewer:
        sees(viewer.read("/drills/"), "0 of 2 passed", "stopped before its end")


def test_a_console_that_is_away_is_said_and_nothing_is_kept(world):
    code, output = world.run("drill", "--url", "http://127.0.0.1:9")
    assert code == 1
    assert "The console does not answer at http://127.0.0.1:9" in output
    assert "Kept as" not in output
