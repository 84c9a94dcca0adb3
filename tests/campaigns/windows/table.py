"""The table of windows and receivers, as printed and as docs/reliability.md shows it."""

from collections.abc import Sequence
from pathlib import Path

from operations.models import Operation
from operations.protocol.states import Executor, State
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.windows.profiles import KINDS, Kind
from tests.campaigns.windows.windows import WINDOWS, Window

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reliability.md"
HEADER = "| The window | " + " | ".join(kind.name.replace("-", " ") for kind in KINDS) + " |"
RULE = "|---" * (len(KINDS) + 1) + "|"

type Cells = Sequence[tuple[Window, Kind, Executor, str]]


def cell(operation: Operation, ledger: Ledger) -> str:
    """The state or what a person is asked, and requests/effects: `confirmed 1/1`."""
    operation.refresh_from_db()
    place = (operation.environment, operation.key)
    counts = f"{ledger.requests.get(place, 0)}/{ledger.effects.get(place, 0)}"
    questions = sorted(operation.reviews.filter(closed_at=None).values_list("question", flat=True))
    if questions:
        asked = " and ".join(question.replace("_", " ") for question in questions)
        is_known = operation.state != State.SENT_UNKNOWN
        said = f"{operation.state}; a person: {asked}" if is_known else f"a person: {asked}"
        return f"{said} {counts}"
    return f"{str(operation.state).replace('_', ' ')} {counts}"


def lines(cells: Cells) -> list[str]:
    """The table in Markdown. Where the two senders end differently, both are told."""
    found = {(window.code, kind.name, executor): text for window, kind, executor, text in cells}
    told = [HEADER, RULE]
    tried = {window.code for window, *_ in cells}
    for window in WINDOWS:
        if window.code not in tried:
            continue
        row = [_both(found, window.code, kind.name) for kind in KINDS]
        told.append(f"| {window.sentence} | " + " | ".join(row) + " |")
    return told


def differences(measured: Sequence[str]) -> list[str]:
    """What the page says otherwise than it was measured, one sentence each."""
    shown = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    return [
        f"docs/reliability.md: expected the line {line!r}, as measured now"
        for line in measured
        if line not in shown
    ]


def _both(found: dict[tuple[str, str, Executor], str], code: str, kind: str) -> str:
    console = found.get((code, kind, Executor.CONSOLE), "")
    agent = found.get((code, kind, Executor.AGENT), "")
    return console if console == agent else f"console: {console}; agent: {agent}"
