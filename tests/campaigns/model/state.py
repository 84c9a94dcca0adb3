"""One moment of the model: the record, the attempts, the receiver, and who is doing what."""

from enum import Enum
from typing import NamedTuple

from operations.protocol.states import Question, State

# Plain words rather than enums: millions of these are hashed, and a text keeps its hash.
# What a worker is doing.
IDLE, CLAIMED, MARKED, SENT, ANSWERED = "idle", "claimed", "marked", "sent", "answered"
# What the receiver answered, as its sender holds it. SILENCE: nothing that can be read.
SILENCE, YES, NO, DUPLICATE, PENDING, OTHERS = "", "yes", "no", "duplicate", "pending", "others"
# The clock of an attempt: its send deadline is ahead, is over, and nothing can arrive any more.
UNMARKED, MAY_SEND, DEADLINE_OVER, QUARANTINE_OVER = 0, 1, 2, 3
# Whether an attempt's request is under way. LATE: it left after its send deadline, from a sender
# that was paused; so it can arrive after the quarantine.
NOWHERE, FLYING, LATE = 0, 1, 2
# The request for approval; VOID is one that a change of the operation ended.
UNNEEDED, OPEN, OVERDUE, GRANTED, LAPSED, REJECTED, EXPIRED, VOID = (
    "unneeded",
    "open",
    "overdue",
    "granted",
    "lapsed",
    "rejected",
    "expired",
    "void",
)
# Who holds the machine slot.
NOBODY, DISPATCH, LOOKUP = "", "dispatch", "lookup"
# A lookup under way, or the latest answer on record. EARLY: asked before the quarantine was over.
NOTHING, FOUND, EARLY, NOT_FOUND = "", "found", "early", "not_found"
# The operation that replaces this one.
NO_SUCCESSOR, WAITS, HELD, HAS_SENT = 0, 1, 2, 3

OWNER, OPERATOR, SECOND = "the owner", "the operator", "the second person"


class Worker(NamedTuple):
    """One process of an agent. `is_current`: no higher token was issued and its own is not void."""

    phase: str = IDLE
    is_current: bool = False
    generation: int = 0
    reply: str = SILENCE


class Attempt(NamedTuple):
    """One generation's dispatch. `is_closed`: its sender reported an end, or two people did."""

    clock: int = UNMARKED
    request: int = NOWHERE
    is_closed: bool = False


class Moment(NamedTuple):
    """Everything there is to know. What the record can't know (the truth) comes last.

    `evidence`: an unexplained word of an effect; `review` is open beside `is_asked`, which is the
    question of the unknown outcome itself; `window_over`: our own count of how long a key protects.
    """

    state: State
    workers: tuple[Worker, ...]
    attempts: tuple[Attempt, ...]
    generation: int = 1
    lease: str = NOBODY
    approval: str = UNNEEDED
    yes_for: int = 0
    looked: str = NOTHING
    asking: str = NOTHING
    evidence: bool = False
    review: Question | None = None
    is_asked: bool = False
    is_proposed: bool = False
    window_over: bool = False
    successor: int = NO_SUCCESSOR
    # The truth, at the receiver and in the past.
    effects: int = 0
    knows_key: bool = False
    highest_seen: int = 0
    was_rejected: bool = False

    def attempt(self, generation: int) -> Attempt:
        """The attempt of this generation, marked or not."""
        return self.attempts[generation - 1]

    def with_attempt(self, generation: int, attempt: Attempt) -> tuple[Attempt, ...]:
        """All attempts, this one replaced."""
        before, after = self.attempts[: generation - 1], self.attempts[generation:]
        return (*before, attempt, *after)

    def with_worker(self, index: int, worker: Worker) -> tuple[Worker, ...]:
        """All workers, this one replaced."""
        return (*self.workers[:index], worker, *self.workers[index + 1 :])

    @property
    def has_attempt(self) -> bool:
        """Whether anything was ever marked."""
        return any(attempt.clock for attempt in self.attempts)


class Act(Enum):
    """What can happen, as the sentence that a counterexample prints."""

    CLAIM = "{who} claims the operation"
    SAME_CLAIM = "{who}, restarted, gets its claim back by its nonce"
    MARK = "{who} marks: sent_unknown is on disk"
    MARK_REFUSED = "{who} asks to mark and is refused"
    SEND = "{who} sends the request of generation {generation}"
    SEND_AGAIN = "{who}'s HTTP layer repeats the request by itself"
    GIVE_UP = "{who} waits for no answer any more"
    REPORT = "{who} reports: {reply}"
    CRASH = "{who} dies"
    ARRIVES = "the request of generation {generation} arrives and takes effect, answer: {reply}"
    ARRIVES_AGAIN = "the request of generation {generation} arrives; its key is known, no effect"
    REFUSES = "the receiver refuses the request of generation {generation}, answer: {reply}"
    STRANGER = "somebody sends the same request, under this key, beside the record"
    LOST = "the request of generation {generation} is lost"
    FORGETS = "the receiver forgets the key"
    LEASE_ENDS = "the lease ends"
    DEADLINE = "the send deadline of generation {generation} passes"
    QUARANTINE = "the quarantine of generation {generation} is over"
    WINDOW = "the time for which the key protects is over"
    YES_LAPSES = "the yes loses its validity"
    REQUEST_OVERDUE = "the request for approval is overdue"
    SWEEP_REQUEST = "the sweep writes down that the request expired"
    TIMER_RELEASES = "a timer sets the operation back to ready"
    ASK = "the reconciler asks the receiver, answer: {reply}"
    RECORD = "the reconciler writes the answer down"
    ASK_PERSON = "the sweep asks a person: nobody can look this up"
    WEBHOOK = "a webhook says: {reply}"
    OLD_NOT_FOUND = "the last lookup grows older than 60 s"
    APPROVE = "{who} approves generation {generation}"
    REJECT = "{who} rejects generation {generation}"
    WITHDRAW = "{who} withdraws the request"
    PROPOSE = "{who} proposes one more send"
    RELEASE = "{who} releases generation {generation}"
    FIND = "{who} and another find: not executed"
    ATTEST = "{who} and another confirm it by the receiver's own record"
    CLOSE_ATTEMPT = "two people record that the sender of generation {generation} is gone"
    SET_ASIDE = "two people set the evidence aside"
    SETTLE = "{who} settles the review: not ours"
    SUPERSEDE = "{who} starts an operation that replaces this one"
    SUCCESSOR_SENDS = "the operation that replaces this one is approved, and takes effect"


class Step(NamedTuple):
    """What happened, by whom (a worker's index or a person), and the moment after it."""

    act: Act
    after: Moment
    who: int | str = ""
    generation: int = 0
    reply: str = ""

    def sentence(self) -> str:
        """The step in words."""
        who = f"worker {self.who + 1}" if isinstance(self.who, int) else self.who
        reply = self.reply or "nothing"
        return self.act.value.format(who=who, generation=self.generation, reply=reply)
