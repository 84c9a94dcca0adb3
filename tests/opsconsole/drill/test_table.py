"""The table that a run prints."""

from opsconsole.drill.table import table
from reconciliation.models import DrillResult


def a_result(name, **given):
    values = {"kills": 1, "requests": 1, "effects": 1, "outcome": "confirmed", "verdict": "passed"}
    return DrillResult(name=name, **values | given)


def test_it_has_a_line_a_drill_and_says_below_why_one_failed():
    lines = table(
        [
            a_result("two_claimants", kills=0),
            a_result(
                "lost_message",
                requests=None,
                effects=None,
                outcome="ready",
                verdict="failed",
                fault="Expected a sweep, got none.",
            ),
        ]
    )
    cells = [[cell for cell in line.split("  ") if cell.strip()] for line in lines]
    assert [cell.strip() for cell in cells[0]] == [
        "window",
        "sender",
        "kills",
        "requests",
        "effects",
        "outcome",
        "verdict",
    ]
    assert [cell.strip() for cell in cells[2]] == [
        "Two claimants at once",
        "agent",
        "0",
        "1",
        "1",
        "confirmed",
        "passed",
    ]
    assert [cell.strip() for cell in cells[3]][2:] == ["1", "?", "?", "ready", "failed"]
    assert lines[-1] == "A broker message that is lost: Expected a sweep, got none."
