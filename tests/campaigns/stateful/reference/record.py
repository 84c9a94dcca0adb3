"""What is on record of one operation, what is read from it, and what every change does."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import Channel
from operations.protocol.states import Question as Q
from operations.protocol.states import ReceiptStatus as R
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V

if TYPE_CHECKING:
    from tests.campaigns.stateful.reference.book import Book

OPEN = (S.AWAITING_APPROVAL, S.READY, S.SENT_UNKNOWN)
WITHOUT_EFFECT = (S.REFUSED, S.NOT_EXECUTED, S.CANCELLED)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A receiver's profile, in minutes. `window` is None where no key protects."""

    name: str
    lookup: bool = True
    window: int | None = 1440
    delay: int = 1
    lag: int = 1
    second: bool = True
    limit: int = 10
    claims: int = 3


@dataclass(frozen=True, kw_only=True)
class Said:
    """A receiver's word. `payload` is same, other or none; `foreign`: of another key or place."""

    status: R = R.CONFIRMED
    effect: str = ""
    payload: str = "same"
    foreign: bool = False

    @property
    def differs(self) -> bool:
        return self.foreign or self.payload == "other"

    @property
    def proves(self) -> bool:
        is_whole = self.payload == "same" and not self.foreign
        return is_whole and self.status is R.CONFIRMED and bool(self.effect)


@dataclass(kw_only=True, eq=False)
class Receipt:
    said: Said
    channel: Channel
    verdict: V
    generation: int
    is_open: bool
    is_stale: bool = False
    by_agent: bool = False
    is_taken: bool = False
    is_explained: bool = False


@dataclass(kw_only=True, eq=False)
class Report:
    """An end or a refusal that came under an older token."""

    is_open: bool = True


@dataclass(kw_only=True, eq=False)
class Attempt:
    generation: int
    token: int
    marked: int
    deadline: int
    outcome: str = ""
    gone: set[str] = field(default_factory=set)
    closed: int = 0  # the minute of its end

    @property
    def is_closed(self) -> bool:
        return bool(self.outcome) or len(self.gone) >= 2


@dataclass(kw_only=True)
class Claim:
    token: int
    agent: str
    purpose: str
    minutes: int
    until: int
    is_void: bool = False


@dataclass(kw_only=True)
class Review:
    about: Receipt | None
    since: int
    is_about_other: bool = False


@dataclass(kw_only=True)
class Request:
    needed: int
    excluded: set[str]
    until: int
    yes_lives: int
    generation: int
    asked: int = 1
    status: A = A.OPEN
    answered: dict[str, bool] = field(default_factory=dict)
    valid_until: int = 0


@dataclass(kw_only=True, eq=False)
class Record:
    """One operation. `version` counts the changes that must let the product's version grow."""

    book: "Book"
    key: str
    place: Place
    agent: str
    responsible: str
    kind: str
    payload: str
    needed: int = 0
    twin_of: str = ""
    by_console: bool = False
    requester: str = ""
    supersedes: "Record | None" = None
    compensates: "Record | None" = None
    state: S = S.READY
    cause: str = ""
    grade: str = ""
    effect: str = ""
    generation: int = 1
    version: int = 1
    since: int = 0
    registered: int = 0
    is_reversed: bool = False
    is_unwritten: bool = False
    is_decided: bool = False  # a person's decision is under way: it writes down what is over
    claims: list[Claim] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    reviews: dict[Q, Review] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    proposals: list = field(default_factory=list)
    slot: tuple[str, int] | None = None
    answer: tuple[str, int] = ("", 0)
    unasked_since: int | None = None
    unmarked: int = 0

    @property
    def request(self) -> Request | None:
        return self.requests[-1] if self.requests else None

    @property
    def involved(self) -> set[str]:
        return {self.responsible, self.requester} - {""}

    @property
    def claim(self) -> Claim | None:
        last = self.claims[-1] if self.claims else None
        return last if last and not last.is_void and last.until > self.book.now else None

    @property
    def unexplained(self) -> list[Receipt | Report]:
        return [each for each in (*self.receipts, *self.reports) if each.is_open]

    @property
    def questions(self) -> set[Q]:
        return set(self.reviews) - {Q.STALLED}

    @property
    def is_held(self) -> bool:
        return bool(self.questions or self.unexplained)

    @property
    def executed(self) -> bool | None:
        if self.state is S.CONFIRMED:
            return True
        return None if self.state in OPEN and self.attempts else False

    @property
    def deadline(self) -> int:
        return max((attempt.deadline for attempt in self.attempts), default=0)

    @property
    def last_call(self) -> int:
        """Where no key protects, the last call may have left just before its end was told."""
        ends = [each.closed for each in self.attempts] if self.place.window is None else []
        return max([self.deadline, *ends])

    @property
    def quarantine(self) -> int:
        """Until then a request may be in flight; people are asked after it."""
        return self.last_call + self.place.delay + self.place.lag

    @property
    def next_action(self) -> str:
        if self.state is S.CONFIRMED:
            return "done"
        if self.state is S.SENT_UNKNOWN:
            nobody_can_ask = not self.place.lookup and self.quarantine <= self.book.now
            return "ask_person" if self.reviews or nobody_can_ask else "wait_for_settlement"
        is_halted = self.state is S.READY and self.place.name in self.book.halted
        if self.is_held or is_halted:
            return "ask_person"
        if self.state is S.READY:
            return "wait_for_settlement" if self.by_console else "claim"
        if self.state is S.AWAITING_APPROVAL:
            return "wait_for_approval"
        is_final = self.state is S.CANCELLED and self.cause != "expired"
        return "done" if is_final else "submit_new"

    def is_taken(self, effect: str) -> bool:
        others = (each for each in self.book.records.values() if each is not self)
        return bool(effect) and any(
            each.effect == effect and each.place == self.place for each in others
        )

    def grow(self) -> None:
        self.version += 1
        for proposal in self.proposals:
            if proposal.status is A.OPEN:
                is_over = self.is_decided and proposal.until <= self.book.now
                proposal.status = A.EXPIRED if is_over else A.VOIDED

    def move(self, state: S, cause: str = "") -> None:
        self.state, self.cause, self.since, self.unmarked = state, cause, self.book.now, 0
        self.grow()

    def ask(self, question: Q, about: Receipt | None = None, *, of_other: bool = False) -> None:
        if question not in self.reviews:
            review = Review(about=about, since=self.book.tick(), is_about_other=of_other)
            self.reviews[question] = review
            self.grow()

    def settled(self) -> None:
        for question in (Q.UNKNOWN_OUTCOME, Q.STALLED):
            self.reviews.pop(question, None)
        self.void_request()

    def void_request(self, status: A = A.VOIDED) -> None:
        if self.request and self.request.status is A.OPEN:
            self.request.status = status

    def void_claim(self) -> None:
        if self.claims:
            self.claims[-1].is_void = True

    def turn_back(self) -> None:
        self.void_claim()
        self.move(S.SENT_UNKNOWN)
        self.void_request()

    def end_without_yes(self, cause: str) -> None:
        if self.attempts:
            self.turn_back()
        else:
            self.move(S.CANCELLED, cause)
            self.settled()

    def ask_people_again(self, *, asker: str = "") -> None:
        """A new round, from `ready`; what was granted before is over."""
        if self.request and self.request.status is A.GRANTED:
            self.request.status = A.EXPIRED
        self.void_claim()
        self.move(S.AWAITING_APPROVAL)
        self.ask_people(asker=asker)

    def ask_people(self, *, asker: str = "") -> None:
        earlier = self.request
        excluded = {*self.involved, asker} - {""} | (earlier.excluded if earlier else set())
        lives, yes_lives = (60, 15) if self.needed else (7 * 1440, 1440)
        until, asked = self.book.now + lives, earlier.asked if earlier else 1
        given = {"excluded": excluded, "until": until, "yes_lives": yes_lives, "asked": asked}
        self.requests.append(Request(needed=self.needed or 1, generation=self.generation, **given))

    def confirm(self, effect: str, grade: str) -> None:
        self.effect, self.grade = effect, grade
        self.move(S.CONFIRMED)
        self.settled()

    def reads_on(self) -> None:
        """The clock alone ends a request: reading says so before anything is written."""
        request = self.request
        is_over = request and request.status is A.OPEN and request.until <= self.book.now
        if is_over and request and self.state is S.AWAITING_APPROVAL:
            request.status = A.EXPIRED
            version = self.version
            self.end_without_yes("expired")
            self.version, self.is_unwritten = version, True
