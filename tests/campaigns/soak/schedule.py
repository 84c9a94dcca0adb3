"""What is done to whom, and when: the same seed gives the same schedule, however long it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

PROCESSES = ("web", "worker", "sweeper", "beat")
# Every kind of fault with its longest time in seconds; 0 for what is over at once.
KINDS: dict[str, float] = {
    **{f"kill {name}": 0 for name in PROCESSES},
    **{f"stop {name}": 9 for name in PROCESSES},
    "kill a child of web": 0,
    "kill a child of worker": 0,
    "kill an agent": 0,
    "stop an agent": 9,
    "kill PostgreSQL": 1.5,
    "stop PostgreSQL": 3,
    "end some sessions": 0,
    "end all sessions": 0,
    "flush the broker": 0,
    "kill the broker": 4,
    "kill the receiver": 2,
    "stop the receiver": 3,
    "reset the database's connections": 0,
    "cut off the database": 2,
    "reset the agents' connections": 0,
    "cut off the agents": 3,
    "reset the receiver's connections": 0,
    "cut off the receiver": 3,
}
# Enough for the seconds of a slice: one of each sort of victim.
KINDS_OF_A_SLICE = (
    "kill worker",
    "stop sweeper",
    "kill an agent",
    "stop an agent",
    "end all sessions",
    "flush the broker",
    "kill the receiver",
    "reset the agents' connections",
    "kill PostgreSQL",
)
SHORTEST_SECONDS = 0.3
GAP_SECONDS = (0.4, 2.4)
GAP_IN_A_SLICE_SECONDS = (0.3, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """One fault: `gap` seconds after the last, for so many seconds. `pick` chooses the victim."""

    gap: float
    kind: str
    seconds: float
    pick: float

    def __str__(self) -> str:
        lasts = f" for {self.seconds:.1f} s" if self.seconds else ""
        return f"+{self.gap:.1f} s {self.kind}{lasts}"


def rounds(seed: int, *, is_slice: bool) -> Iterator[list[Strike]]:
    """Without end: in each round every kind comes up once, in an order of its own."""
    kinds = KINDS_OF_A_SLICE if is_slice else tuple(KINDS)
    gaps = GAP_IN_A_SLICE_SECONDS if is_slice else GAP_SECONDS
    for number in count():
        random = Random(f"{seed}/round {number}")
        order = random.sample(kinds, len(kinds))
        yield [_strike(random, kind, gaps) for kind in order]


def _strike(random: Random, kind: str, gaps: tuple[float, float]) -> Strike:
    longest = KINDS[kind]
    seconds = random.uniform(SHORTEST_SECONDS, longest) if longest else 0.0
    return Strike(gap=random.uniform(*gaps), kind=kind, seconds=seconds, pick=random.random())
