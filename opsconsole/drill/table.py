"""The results of a run as a table of plain text."""

from collections.abc import Sequence

from reconciliation.models import DrillResult
from reconciliation.protocol.drills import BY_NAME

HEAD = ("window", "sender", "kills", "requests", "effects", "outcome", "verdict")
NUMERIC = ("kills", "requests", "effects")


def table(results: Sequence[DrillResult]) -> list[str]:
    """One line a drill under a head; below the table why each that failed did so."""
    rows = [HEAD, *(_row(result) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    failed = [result for result in results if result.fault]
    return lines + [f"{BY_NAME[result.name].title}: {result.fault}" for result in failed]


def _row(result: DrillResult) -> tuple[str, ...]:
    drill = BY_NAME[result.name]
    counts = (result.kills, result.requests, result.effects)
    return (
        drill.title,
        drill.sender,
        *("?" if count is None else str(count) for count in counts),
        result.outcome,
        str(result.verdict),
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        word.rjust(width) if name in NUMERIC else word.ljust(width)
        for name, word, width in zip(HEAD, row, widths, strict=True)
    ]
    return "  ".join(cells).rstrip()
