"""How stories begin, and the acts on an operation that is named instead of drawn."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from operations.protocol.states import ApprovalStatus as A
from tests.campaigns.stateful.reference import registering
from tests.campaigns.stateful.reference.people import By
from tests.campaigns.stateful.reference.record import Record, Said
from tests.campaigns.stateful.reviews import Reviews

SCENES = (
    *("order", "order at alone", "console", "console at keyless", "refund", "yes", "again"),
    *("unknown", "unknown at alone", "unknown at keyless", "unknown at manual"),
    *("sent", "sent at keyless", "pending", "refused", "reported_only", "reported_only at alone"),
    *("released_once", "released_once at alone", "again", "rejected", "held", "twice", "stopped"),
    *("again_and_heard_of", "yes_that_ran_out"),
    *(
        "late",
        "late",
        "late_after_withdrawal",
        "late_after_finding",
        "late_after_finding at manual",
    ),
)


class Chosen:
    """Stands where Hypothesis draws: what was chosen beforehand, in this order."""

    def __init__(self, *values: Any) -> None:
        self.values = list(values)

    def draw(self, strategy: object) -> Any:
        return self.values.pop(0)


OTTO, ANNA, ADAM, RITA = By(name="otto"), By(name="anna"), By(name="adam"), By(name="rita")


class Scenes(Reviews):
    """The same acts, each on one operation that is named, and how a story begins."""

    @initialize(scenes=st.tuples(st.sampled_from(SCENES), st.sampled_from(SCENES)))
    def begins(self, scenes: tuple[str, str]) -> None:
        """Two operations, each somewhere on its way."""
        for scene in scenes:
            name, _, place = scene.partition(" at ")
            getattr(self, name)(place or "sandbox")

    def order(self, place: str) -> None:
        self.registered(place)

    def console(self, place: str) -> None:
        self.registered(place, by_console=True)

    def refund(self, place: str) -> None:
        self.registered(place, "1500.00")

    def yes(self, place: str) -> None:
        self.answered(self.registered(place, "150.00"), ANNA)

    def sent(self, place: str) -> None:
        self.marked(self.registered(place), fault="")

    def pending(self, place: str) -> None:
        self.marked(self.registered(place), fault="pending")

    def again(self, place: str) -> None:
        """Released once, and waiting for a yes."""
        self.released(self.unknown(place, "150.00"))

    def again_and_heard_of(self, place: str) -> None:
        """Waiting for a yes to one more send, and the first one took effect after all."""
        record = self.unknown(place, "150.00")
        self.released(record)
        self.hears(record)

    def yes_that_ran_out(self, place: str) -> None:
        """Claimed under a yes whose time is over at the mark."""
        record = self.registered(place, "150.00")
        self.answered(record, ANNA)
        self.let_time_pass(20)
        self.marked(record)

    def refused(self, place: str) -> None:
        record = self.registered(place)
        self.reports_a_refusal(Chosen(record, self.marked(record)), "definite")

    def reported_only(self, place: str) -> None:
        record = self.registered(place)
        self.reported(record, self.marked(record))

    def released_once(self, place: str) -> None:
        self.released(self.unknown(place))

    def rejected(self, place: str) -> None:
        """One more send was asked for, and people said no."""
        record = self.unknown(place, "150.00")
        self.released(record)
        self.answered(record, ADAM, is_yes=False)

    def held(self, place: str) -> None:
        """Claimed, and then there is a word of an effect."""
        record = self.registered(place)
        self.claimed(record)
        self.hears(record)

    def stopped(self, place: str) -> None:
        """Claimed, and then there is a halt."""
        self.claimed(self.registered(place))
        if place not in self.book.halted:
            self.halts(place, OTTO)

    def twice(self, place: str) -> None:
        record = self.unknown(place)
        self.hears(record)
        self.hears(record, effect=f"{record.key}-b")

    def late(self, place: str) -> None:
        record = self.registered(place)
        self.reports_a_refusal(Chosen(record, self.marked(record)), "definite")
        self.hears(record)

    def late_after_withdrawal(self, place: str) -> None:
        record = self.registered(place)
        self.cancels(Chosen(record), "ours", False)
        self.hears(record)

    def late_after_finding(self, place: str) -> None:
        record = self.unknown(place)
        self.let_time_pass(3)
        if record.place.lookup:
            self.look_up(record)
        self.seconded(record, self.find_nothing(record, OTTO))
        self.hears(record)

    def registered(self, place: str = "sandbox", amount: str = "", **given: Any) -> Record:
        record = self.a_record(place, amount, **given)
        self.do("registers", record, registering.register(record), self.register(record))
        return record

    def claimed(self, record: Record) -> int:
        return self.claim(record, agent="ours", minutes=2, is_stale=False)

    def marked(self, record: Record, *, fault: str = "dies") -> int:
        token = self.claimed(record)
        self.mark(record, agent="ours", token=token, fault=fault)
        return token

    def unknown(self, place: str = "sandbox", amount: str = "", **given: Any) -> Record:
        record = self.registered(place, amount, **given)
        for by in (ANNA, ADAM)[: record.needed]:
            self.answered(record, by)
        self.marked(record)
        return record

    def answered(self, record: Record, by: By, *, is_yes: bool = True) -> None:
        self.answers(Chosen(record, -1), by, is_yes)

    def hears(self, record: Record, **said: Any) -> None:
        word = Said(**{"effect": f"{record.key}-a", **said})
        self.webhook(Chosen(record, word, record.place.name))

    def reported(self, record: Record, token: int, **said: Any) -> None:
        word = Said(**{"effect": f"{record.key}-a", **said})
        self.reports_a_receipt(Chosen(record, token, word), "ours")

    def released(self, record: Record) -> None:
        self.let_time_pass(3)
        self.look_up(record)
        self.seconded(record, self.release(record, OTTO))

    def seconded(self, record: Record, code: str) -> None:
        is_open = record.proposals and record.proposals[-1].status is A.OPEN
        if not code and is_open:
            self.second(record, ANNA)
