"""What a person may do with an operation now, and why not the rest: one pure answer for all."""

from dataclasses import dataclass
from datetime import datetime

from operations.protocol.choice_rules import RULES, ChoiceRule
from operations.protocol.facts import (
    AttemptFacts,
    Facts,
    LookupFacts,
    ReceiptFacts,
    as_read,
    executed,
)
from operations.protocol.next_actions import NextAction, next_action
from operations.protocol.profiles import Profile
from operations.protocol.release import Blocker, not_executed_blockers, release_blockers
from operations.protocol.states import ChoiceCode
from operations.protocol.words import until_text

__all__ = [
    "AttemptFacts",
    "Blocker",
    "Choice",
    "Facts",
    "LookupFacts",
    "NextAction",
    "ReceiptFacts",
    "as_read",
    "choice",
    "choices",
    "executed",
    "next_action",
    "not_executed_blockers",
    "release_blockers",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One choice. Open: `sentence` says what it does. Closed: `sentence` says why, `remedy` what
    can be done about it, `opens_at` when the clock alone opens it; `blockers` has every reason.

    `needs_second`: it is proposed by one person and takes effect when another agrees.
    """

    code: ChoiceCode
    is_open: bool
    sentence: str
    remedy: str
    opens_at: datetime | None
    closed_code: str | None
    needs_second: bool
    blockers: tuple[Blocker, ...] = ()


def choices(facts: Facts, profile: Profile, now: datetime) -> list[Choice]:
    """Every choice, open or closed, in the order of ChoiceCode."""
    facts = as_read(facts, now)
    return [_choice(code, facts, profile, now) for code in ChoiceCode]


def choice(code: ChoiceCode, facts: Facts, profile: Profile, now: datetime) -> Choice:
    """One of them."""
    return _choice(code, as_read(facts, now), profile, now)


def _choice(code: ChoiceCode, facts: Facts, profile: Profile, now: datetime) -> Choice:
    rule = RULES[code]
    needs_second = rule.needs_second(facts, profile)
    blockers = [
        *rule.blockers(facts, profile, now),
        *_proposal_blockers(rule, facts),
        *_case_blockers(rule, facts, now),
    ]
    if not blockers:
        return Choice(
            code=code,
            is_open=True,
            sentence=rule.says(facts, profile, now),
            remedy="",
            opens_at=None,
            closed_code=None,
            needs_second=needs_second,
        )
    return Choice(
        code=code,
        is_open=False,
        sentence=blockers[0].sentence,
        remedy=blockers[0].remedy,
        opens_at=_opens_at(blockers),
        closed_code=blockers[0].code,
        needs_second=needs_second,
        blockers=tuple(blockers),
    )


def _opens_at(blockers: list[Blocker]) -> datetime | None:
    """When the last blocker opens; None if one of them does not open by the clock."""
    times = [blocker.opens_at for blocker in blockers if blocker.opens_at is not None]
    return max(times) if len(times) == len(blockers) else None


def _proposal_blockers(rule: ChoiceRule, facts: Facts) -> list[Blocker]:
    if not rule.is_proposed or facts.proposal_open is None:
        return []
    return [
        Blocker(
            code="proposal_open",
            sentence="A choice for two people is proposed already, and waits for the second.",
            remedy="Another person agrees or rejects; it ends after 30 minutes or when the "
            "operation changes.",
        )
    ]


def _case_blockers(rule: ChoiceRule, facts: Facts, now: datetime) -> list[Blocker]:
    """A decision takes the free review slot (rule 7); machines (no viewer) decide nothing."""
    holder, until = facts.reviewer(now), facts.review_expires_at
    if not rule.is_decision or holder in (None, facts.viewer) or until is None:
        return []
    return [
        Blocker(
            code="held_by_other",
            sentence=f"{holder} holds this case until {until_text(until, now=now)}.",
            remedy="Ask them to hand it back, or wait until then.",
            opens_at=until,
        )
    ]
