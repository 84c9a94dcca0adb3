"""All operations of one story, its clock, and what holds for all of them."""

from dataclasses import dataclass, field

from tests.campaigns.stateful.reference.record import Receipt, Record


@dataclass(kw_only=True)
class Book:
    """`roles` by person; `halted` names places; `unmatched` is by place and key."""

    roles: dict[str, set[str]]
    now: int = 0
    ticks: int = 0
    halted: set[str] = field(default_factory=set)
    records: dict[str, Record] = field(default_factory=dict)
    unmatched: dict[tuple[str, str], list[Receipt]] = field(default_factory=dict)

    def tick(self) -> int:
        """The order of what happens, also within a minute."""
        self.ticks += 1
        return self.ticks

    def pass_time(self, minutes: int) -> None:
        """The clock jumps forward; what it ends by itself reads so at once."""
        self.now += minutes
        for record in self.records.values():
            record.reads_on()
