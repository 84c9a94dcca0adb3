"""One random story: each act is done to the product and to the reference, then all is compared."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.campaigns.harness.invariants import examine
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.harness.rig import Rig
from tests.campaigns.stateful.cast import ROLES, Cast
from tests.campaigns.stateful.compare import differences
from tests.campaigns.stateful.coverage import Met
from tests.campaigns.stateful.places import ENVIRONMENT
from tests.campaigns.stateful.product import Product, Seen
from tests.campaigns.stateful.reference.book import Book
from tests.campaigns.stateful.reference.record import Record, Said

# For a shorter story with the same difference.
SHRINKING_SECONDS = 60
# A minute of the reference must not pass by itself while a story is told.
LONGEST_SECONDS = 45


class Divergence(AssertionError):
    """The product and the rules part ways; the message tells the whole story."""


class TimeIsUp(BaseException):
    """The budget is over, or this story took too long; Hypothesis lets it pass."""


@dataclass(kw_only=True)
class Stage:
    """What all stories of a run share."""

    rig: Rig
    cast: Cast
    met: Met
    is_over: Callable[[], bool] = lambda: False
    is_cut_short: bool = False
    found: str = ""
    found_at: float = 0.0
    stories: int = 0
    keys: int = 0


class Story(RuleBasedStateMachine):
    """The ground under all rules. `truth`: what the receiver shows under each key."""

    stage: ClassVar[Stage]

    def __init__(self) -> None:
        super().__init__()
        shrinks_long = (
            self.stage.found and time.monotonic() - self.stage.found_at > SHRINKING_SECONDS
        )
        if shrinks_long or self.stage.is_over():
            self.stage.is_cut_short = True
            raise TimeIsUp
        self.book = Book(roles=ROLES)
        self.product = Product(self.stage.cast)
        self.product.empty()
        self.truth: dict[str, Said] = {}
        self.early_keys: list[tuple[str, str]] = []
        self.seen: dict[str, Seen] = {}
        self.last: dict[str, tuple[int, int]] = {}
        self.trails: dict[str, int] = {}
        self.told: list[str] = []
        self.done: Counter[str] = Counter()
        self.has_failed = False
        self.started = time.monotonic()
        self.stage.stories += 1

    @property
    def records(self) -> list[Record]:
        return list(self.book.records.values())

    def those(self, fits: Callable[[Record], Any]) -> list[Record]:
        return [record for record in self.records if fits(record)]

    def is_rare(self, rule: str) -> bool:
        """Once or twice in a story is enough of it."""
        return bool(self.records) and self.done[rule] < 2

    def pick(self, data: st.DataObject, fits: Callable[[Record], Any]) -> Record:
        """One that fits; a story that takes too long is not judged."""
        self.give_up_if_slow()
        return data.draw(st.sampled_from(self.those(fits)))

    def give_up_if_slow(self) -> None:
        """Minutes that pass by themselves would be held against the product."""
        if time.monotonic() - self.started > LONGEST_SECONDS:
            self.has_failed = True  # nothing is judged any more
            self.stage.is_cut_short = True
            raise TimeIsUp

    def may(self, act: str, fits: Callable[[Record], Any]) -> bool:
        """Where it makes sense, and once or twice in a story where it makes none."""
        return bool(self.those(fits)) or self.is_rare(act)

    def mostly(self, data: st.DataObject, fits: Callable[[Record], Any]) -> Record:
        """One that fits, or now and then another."""
        self.give_up_if_slow()
        return data.draw(st.sampled_from(self.those(fits) * 6 + self.records))

    def new_key(self) -> str:
        self.stage.keys += 1
        return f"story-{self.stage.keys}"

    def do(self, what: str, record: Record | None, expected: str, got: str) -> None:
        """One act is over: were both of one mind, and are the two records still the same?"""
        self.give_up_if_slow()
        name = record.key if record else "-"
        self.told.append(f"{self.book.now} min: {what} ({name}) -> {got or 'done'}")
        if expected != got:
            self.fail(f"{what}: the rules say {expected or 'done'}, the product {got or 'done'}")
        for each in self.records:
            each.is_decided = False
        self.done[what.split(":")[0]] += 1
        self.stage.met.act(what.split(":")[0], got)
        self.compare(everything=record is None)

    def compare(self, *, everything: bool) -> None:
        """What left no entry in its trail is not read again, unless time or a halt changed all."""
        trails = self.product.trails()
        if set(trails) != set(self.book.records):
            self.fail(f"operations: {set(trails) ^ set(self.book.records)} on one side only")
        changed = [key for key in trails if everything or trails[key] != self.trails.get(key)]
        self.trails = trails
        self.seen |= self.product.observe(changed) if changed else {}
        self.give_up_if_slow()
        found: list[str] = []
        for key, record in self.book.records.items():
            seen = self.seen[key]
            found += (f"{key}: {each}" for each in differences(record, seen))
            found += (f"{key}: {each}" for each in self._versions(record, seen))
            self.stage.met.seen(seen)
        if found:
            self.fail("\n  ".join(found))

    def fail(self, why: str) -> None:
        story = "\n  ".join(self.told)
        self.has_failed = True
        words = f"{why}\nthe story:\n  {story}"
        if not self.stage.found:
            self.stage.found_at = time.monotonic()
        if not self.stage.found or len(words) < len(self.stage.found):
            self.stage.found = words
        raise Divergence(words)

    def _versions(self, record: Record, seen: Seen) -> Iterable[str]:
        """It grows with what matters and with nothing else."""
        version, token, counted = seen["version"], seen["token"], record.version
        before, before_token, before_counted = self.last.get(record.key, (0, 0, 0))
        self.last[record.key] = (version, token, counted)
        if token < before_token:
            yield f"the token went from {before_token} back to {token}"
        if not before:
            return
        has_grown, must_grow = version > before, counted > before_counted
        if version < before or (must_grow and not has_grown):
            yield f"version {before} did not grow"
        elif has_grown and not must_grow and not record.is_unwritten:
            yield f"version {before} grew to {version} though nothing changed"
        if has_grown:
            record.is_unwritten = False

    def teardown(self) -> None:
        """What truly happened at the receiver, and everything that must hold whatever was done."""
        if not self.records or self.has_failed:
            return
        self.compare(everything=True)
        self.stage.met.trails()
        told = {key: self.stage.rig.sandbox.ledger(key) for key in self.truth}
        places = {key: (ENVIRONMENT, key) for key in told}
        ledger = Ledger(
            {places[key]: row["requests"] for key, row in told.items() if row["requests"]},
            {places[key]: len(row["effects"]) for key, row in told.items() if row["effects"]},
        )
        findings = examine(
            self.stage.rig.superuser_url,
            ledger=ledger,
            acknowledged=[(ENVIRONMENT, key) for key in self.book.records],
            must_be_settled=False,
        )
        self.stage.met.work.update(findings.work)
        broken = [each for each in findings.all if not self._may_decide_alone(each)]
        if broken:
            self.fail("\n  ".join(broken))

    def _may_decide_alone(self, finding: str) -> bool:
        """Where a profile asks for no second person, one person attests."""
        alone = [record.key for record in self.records if not record.place.second]
        return finding.startswith("I2") and any(f"'{key}', 'attested'" in finding for key in alone)
