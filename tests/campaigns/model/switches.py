"""What a variant may change: the rules (ours, which it may break) and the world (what we meet)."""

from dataclasses import dataclass

from tests.campaigns.model.state import DUPLICATE, NO, OTHERS, PENDING, YES

# What a receiver does with a key.
KEYS_FOR_EVER, KEYS_FORGOTTEN, NO_KEYS, FENCING_ONLY = "for ever", "forgotten", "none", "fencing"
# How long a request can be under way: it is over with the quarantine; it may be later, but the
# receiver keeps its key for at least that long; it may be as late as it likes.
WITHIN_QUARANTINE, WITHIN_WINDOW, ANY_TIME = "within quarantine", "within window", "any time"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the protocol meets. `margin_covers_way`: what is marked just before the window's end
    still arrives before the receiver forgets. `hard_deadline`: no sender is paused between its look
    at the clock and its call."""

    receiver: str = KEYS_FOR_EVER
    arrives: str = ANY_TIME
    workers: int = 3
    generations: int = 2
    has_lookup: bool = True
    hard_deadline: bool = True
    margin_covers_way: bool = True
    needs_approval: bool = False
    second_person: bool = True
    replies: tuple[str, ...] = (YES,)
    webhooks: tuple[str, ...] = (YES,)
    has_successor: bool = False
    others_send: bool = False  # somebody may use the key beside the record

    @property
    def has_keys(self) -> bool:
        """Whether the receiver's profile says that it deduplicates."""
        return self.receiver in (KEYS_FOR_EVER, KEYS_FORGOTTEN)


ALL_REPLIES = (YES, NO, DUPLICATE, PENDING, OTHERS)
# A receipt that matches in all, but for the environment that it comes from.
ELSEWHERE = "yes, in another environment"
ALL_WEBHOOKS = (YES, PENDING, OTHERS, ELSEWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The product's rules, all on. A broken variant turns one of them off.

    `ignored` and `ignored_at_mark` name blockers of the product's own rule 3 that a variant does
    not heed: everywhere, or only at the mark, where rule 3 is judged again.
    """

    marks_before_send: bool = True
    mark_is_conditional: bool = True  # on state, token and generation; else a blind UPDATE
    marks_once: bool = True  # one mark per generation
    mark_needs_lease: bool = True
    mark_needs_yes: bool = True
    mark_heeds_evidence: bool = True
    looks_again_before_send: bool = False  # variant F: harmless, and no cure
    sends_once: bool = True
    only_people_release: bool = True
    people_may_release: bool = True  # off: variant D, stricter than ours
    ignored: frozenset[str] = frozenset()
    ignored_at_mark: frozenset[str] = frozenset()
    quarantine_has_delay: bool = True
    quarantine_from_end: bool = True
    asked_at_counts: bool = True  # not when the answer was written down
    early_answers_are_void: bool = True
    stale_reports_settle_nothing: bool = True
    compares_receipts: bool = True
    heeds_environment: bool = True
    pending_is_no_proof: bool = True
    duplicate_is_no_refusal: bool = True
    refuses_only_attempt: bool = True
    not_found_is_no_refusal: bool = True
    cancels_only_unsent: bool = True
    others_decide: bool = True
    others_second: bool = True
    overdue_takes_no_yes: bool = True
    release_asks_anew: bool = True
    yes_is_for_generation: bool = True
    supersedes_only_settled: bool = True
    late_receipt_holds_successor: bool = True
    leases_end: bool = True
    not_found_asks_a_person: bool = True
    overdue_requests_are_swept: bool = True


RULES = Rules()
ALL_OF_RULE_3 = frozenset(
    {
        "quarantine",
        "no_fresh_lookup",
        "unexplained_evidence",
        "window_over",
        "attempt_open",
        "no_lookup",
        "needs_second_person",
    }
)
