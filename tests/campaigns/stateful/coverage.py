"""What a run has met: acts, refusals, reasons, transitions, so that it can't pass by idling."""

from collections import Counter
from collections.abc import Iterable

from operations.models import AuditEntry
from operations.protocol import refusals
from operations.protocol.states import Cause, Grade, NextActionCode, Question, State
from operations.protocol.transitions import TRANSITIONS
from tests.campaigns.stateful.product import Seen

ACTS = (
    *("registers", "registers again", "registers a follow-up", "claims", "renews", "gives back"),
    *("marks", "reports a receipt", "reports a refusal", "reports an end", "cancels"),
    *("asks for a lookup", "looks up", "webhook", "webhook comes early", "receiver finishes"),
    *("dispatches", "sweeps", "time passes", "lease runs out", "halts", "resumes"),
    *("answers", "seconds", "releases", "finds not executed", "attests", "sets aside"),
    *("closes an attempt", "settles", "supersedes", "compensates", "takes", "hands back"),
    *("withdraws", "sends nonsense"),
)
# Codes that no story can meet, and where they are met instead.
ELSEWHERE = {
    "over_ceiling": "no ceiling can be configured yet, so nothing raises it",
    "rate_limited": "takes thousands of requests a minute: tests/operations/api",
    "unavailable": "takes a database that is away: the campaigns of broken surroundings",
}
CODES = {
    getattr(refusals, name).code for name in refusals.__all__ if name != "Refusal"
} - ELSEWHERE.keys()
# Of the choices; `needs_second_person` closes an act, never a choice, which is judged as proposed.
REASONS = (
    *("quarantine", "no_fresh_lookup", "unexplained_evidence", "window_over", "attempt_open"),
    *("no_attempt", "not_sent_unknown", "review_open", "no_lookup", "halted", "has_attempt"),
    *("wrong_state", "proposal_open", "held_by_other", "rejected"),
)
WORDS = {
    "state": State,
    "cause": Cause,
    "grade": Grade,
    "open review": Question,
    "next action": NextActionCode,
}


class Met:
    """Counts, by what was met."""

    def __init__(self) -> None:
        self.acts: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.words: Counter[tuple[str, str]] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.work: Counter[str] = Counter()

    def act(self, name: str, code: str) -> None:
        """One act, and the code if it was refused."""
        if name not in ACTS:
            raise ValueError(f"expected an act that is listed, got {name}")
        self.acts[name] += 1
        if code:
            self.codes[code] += 1

    def seen(self, seen: Seen) -> None:
        """The words and the reasons for closed choices that both agreed about."""
        for choice in seen["choices"]:
            self.reasons.update(blocker.code for blocker in choice.blockers)
        self.words["next action", seen["next_action"]["code"]] += 1
        self.words.update(("open review", question) for question in seen["open_reviews"])
        for name in ("state", "cause", "grade"):
            self.words[(name, seen[name] or "")] += 1

    def trails(self) -> None:
        """The transitions of the story that ends, by its own trail."""
        rows = AuditEntry.objects.filter(operation__isnull=False)
        self.pairs.update(rows.values_list("state_before", "event"))

    def left_out(self) -> list[str]:
        """What a whole run should have met and did not, a sentence each."""
        wanted: list[tuple[str, Iterable[str], Counter[str]]] = [
            ("act", ACTS, self.acts),
            ("refusal", CODES, self.codes),
            ("reason", REASONS, self.reasons),
        ]
        found = [
            f"{what} {name} was never met"
            for what, names, met in wanted
            for name in sorted(set(names) - met.keys())
        ]
        found += [
            f"{what} {word} was never met"
            for what, words in WORDS.items()
            for word in words
            if (what, str(word)) not in self.words
        ]
        pairs = {(str(state), str(event)) for state, event in TRANSITIONS}
        found += [
            f"{event} from {state} was never met"
            for state, event in sorted(pairs - self.pairs.keys())
        ]
        return found

    def transitions(self) -> int:
        """How many pairs of the product's own table were met."""
        pairs = {(str(state), str(event)) for state, event in TRANSITIONS}
        return len(pairs & self.pairs.keys())
