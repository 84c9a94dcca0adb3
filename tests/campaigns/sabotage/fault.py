"""What a fault is: a change that somebody could plausibly make, and the campaign that finds it."""

from dataclasses import dataclass

WINDOWS, ORDERS, PAUSES, CLOCKS = "windows", "interleavings", "pauses", "clocks"
STATEFUL, MODEL = "stateful", "model"
# Not a campaign: the tests in the file that `focus` names.
TESTS = "tests"

MARK = "operations/actions/mark_attempt.py"
DISPATCH = "operations/actions/dispatch_operation.py"
SLOT = "operations/actions/take_slot.py"
RECEIPTS = "operations/protocol/receipts.py"
RELEASE = "operations/protocol/release.py"
SETTLEMENT = "operations/protocol/settlement.py"
# What a new database holds by itself: constraints and triggers.
SCHEMA = "operations/migrations/0001_initial.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`old` stands once in `path` and becomes `new`; `campaign`, narrowed to `focus`, finds it.

    `also`: further places (path, old, new) where the same rule is kept a second time, since a
    fault in one of them alone changes nothing.
    """

    name: str
    path: str
    old: str
    new: str
    campaign: str
    focus: str = ""
    also: tuple[tuple[str, str, str], ...] = ()
    budget: str = "60s"

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        """Every place to change, as (path, old, new)."""
        return ((self.path, self.old, self.new), *self.also)

    @property
    def killer(self) -> str:
        """The campaign and what of it."""
        return f"{self.campaign} ({self.focus})" if self.focus else self.campaign
