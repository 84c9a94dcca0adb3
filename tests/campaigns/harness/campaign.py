"""What a campaign is: a bounded, seeded run that tries to break the promise, and what it found."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.campaigns.harness.rig import Rig


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one campaign did and found.

    `points`: boundaries, orders or runs really carried out; `out_of`: how many there are, where
    they can be counted. `duplicates`, `lost`, `stuck`: operations, by the receiver's own ledger and
    the record together. `violations`: one sentence for each of those and for whatever else broke a
    promise. `work`: counts that show that something was really done. `not_run`: why nothing could
    be done here.
    """

    points: int
    out_of: int | None = None
    duplicates: int = 0
    lost: int = 0
    stuck: int = 0
    violations: tuple[str, ...] = ()
    work: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    not_run: str = ""


@dataclass(slots=True, kw_only=True)
class Run:
    """One run of one campaign: its seed, its time, its own empty folder, and the shared rig.

    `focus` narrows it to the points whose names hold that text: a window, a flow, a meeting.
    `part`: which of how many processes that share the work this is, counted from 1.
    """

    seed: int
    seconds: float
    directory: Path
    is_slice: bool = False
    focus: str = ""
    part: tuple[int, int] = (1, 1)
    get_rig: "Callable[[], Rig] | None" = None
    say: Callable[[str], None] = print
    started_at: float = field(default_factory=time.monotonic)
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def seconds_left(self) -> float:
        """How much of the budget is left; below 0 when it is over."""
        return self.started_at + self.seconds - time.monotonic()

    def is_over(self) -> bool:
        """Whether the budget is over: a campaign ends at its next resting place."""
        return self.seconds_left() <= 0

    def mine[T](self, all_of_them: Sequence[T]) -> list[T]:
        """This part's share of a list, the same in every run."""
        number, parts = self.part
        return list(all_of_them[number - 1 :: parts])

    def rig(self) -> "Rig":
        """PostgreSQL, receiver and children, shared with other campaigns and emptied for this."""
        assert self.get_rig is not None
        shared = self.get_rig()
        self.started_at = time.monotonic()  # what the servers needed to start is not its time
        return shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A named way to break the promise.

    `needs_seconds` is what its least work takes on two busy cores, whatever the budget; `share` is
    its weight in the time that is left when each has what it needs. `least` and `least_in_slice`
    say how much of each kind of work a run must show: less is a failure, since a run that did
    nothing proves nothing. `whole` says that the points are a closed list of which a full run must
    leave none out. `parts`: how many processes, each with servers of its own, may share them.
    `has_focus`: whether it can be narrowed to points by a text.
    """

    name: str
    title: str
    share: float
    needs_seconds: float
    run: Callable[[Run], Tally]
    least: Mapping[str, int]
    least_in_slice: Mapping[str, int] = field(default_factory=dict)
    slice_seconds: float = 8.0
    whole: bool = False
    parts: int = 1
    has_focus: bool = False

    def failures(
        self,
        tally: Tally,
        *,
        is_slice: bool = False,
        is_narrowed: bool = False,
        is_part: bool = False,
    ) -> list[str]:
        """Why this run did not pass, one sentence each; empty: it passed.

        One that was narrowed down to some points need not do the work of a whole run, and a part
        is only judged by what it broke: the guard looks at all parts together. What broke counts
        also where the rest could not be run; how much was done is not asked there.
        """
        found = [*(tally.violations or _counted(tally))]
        if tally.not_run:
            return found
        least = {} if is_narrowed or is_part else self.least_in_slice if is_slice else self.least
        found += [
            f"expected at least {count} {what}, got {tally.work.get(what, 0)}: too little was done"
            for what, count in least.items()
            if tally.work.get(what, 0) < count
        ]
        if tally.points == 0 and not is_part:
            found.append("no point was tried")
        if self.whole and not (is_slice or is_narrowed or is_part) and tally.out_of is not None:
            left_out = tally.out_of - tally.points
            found += [f"{left_out} of {tally.out_of} points were left out"] if left_out else []
        return found


def _counted(tally: Tally) -> Iterator[str]:
    """The counts in words, where no sentence says which operations they are."""
    counts = {"duplicated": tally.duplicates, "lost": tally.lost, "stuck": tally.stuck}
    yield from (f"{count} operations {word}" for word, count in counts.items() if count)
