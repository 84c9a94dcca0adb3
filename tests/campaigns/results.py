"""What campaigns came to: one line of the table each, and the same as JSON."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.campaigns.harness.campaign import Campaign, Tally

COLUMNS = ("campaign", "points", "duplicates", "lost", "stuck", "seed", "seconds", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    campaign: Campaign
    tally: Tally
    failures: list[str]
    seed: int
    seconds: float

    @property
    def verdict(self) -> str:
        """`held`, `FAILED`, or that it could not be run here, which is not the same as held."""
        if self.failures:
            return "FAILED"
        return "not run" if self.tally.not_run else "held"

    @property
    def lines(self) -> list[str]:
        """What is said when it has ended: each failure, and what was done."""
        tally = self.tally
        work = ", ".join(f"{count:,} {what}" for what, count in tally.work.items())
        said = [f"FAILED: {failure}" for failure in self.failures]
        said += [f"not run: {tally.not_run}"] if tally.not_run else []
        return [*said, "; ".join(filter(None, [work, tally.note]))]

    def has_passed(self, *, may_skip: Collection[str] = ()) -> bool:
        """Whether it was run and held; one that may be skipped need not have been run."""
        is_done = not self.tally.not_run or self.campaign.name in may_skip
        return is_done and not self.failures

    def as_json(self) -> dict[str, Any]:
        """For a machine to read: the tally, and what was made of it."""
        return {
            "campaign": self.campaign.name,
            **asdict(self.tally),
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "verdict": self.verdict,
            "failures": self.failures,
        }


def tally_of(told: Mapping[str, Any]) -> Tally:
    """The tally that `as_json` wrote."""
    members = {name: told[name] for name in Tally.__dataclass_fields__}
    return Tally(**{**members, "violations": tuple(members["violations"])})


def together(parts: Sequence[Tally]) -> Tally:
    """Several parts of one campaign as one tally. Each is at least one."""
    counted = [part.out_of for part in parts if part.out_of is not None]
    work: dict[str, int] = {}
    for part in parts:
        for what, count in part.work.items():
            work[what] = work.get(what, 0) + count
    return Tally(
        points=sum(part.points for part in parts),
        out_of=sum(counted) if counted else None,
        duplicates=sum(part.duplicates for part in parts),
        lost=sum(part.lost for part in parts),
        stuck=sum(part.stuck for part in parts),
        violations=tuple(words for part in parts for words in part.violations),
        work=work,
        note="; ".join(dict.fromkeys(part.note for part in parts if part.note)),
        not_run=next((part.not_run for part in parts if part.not_run), ""),
    )


def table(results: Sequence[Result]) -> str:
    """The results as columns of text."""
    rows = [COLUMNS, *(_cells(result) for result in results)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = []
    for row in rows:
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first, *others]).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)


def _cells(result: Result) -> tuple[str, ...]:
    tally = result.tally
    points = f"{tally.points:,}" + (f" of {tally.out_of:,}" if tally.out_of is not None else "")
    return (
        result.campaign.name,
        points,
        str(tally.duplicates),
        str(tally.lost),
        str(tally.stuck),
        str(result.seed),
        f"{result.seconds:.0f}",
        f"not run: {tally.not_run}" if result.verdict == "not run" else result.verdict,
    )
