"""The product's own judgements, asked about a moment of the model: none of them is copied here."""

from datetime import timedelta
from functools import cache

from operations.protocol.choice_rules import RULES
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Judged, Receipt, judge
from operations.protocol.release import (
    not_executed_blockers,
    release_blockers,
    release_needs_second,
)
from operations.protocol.settlement import Consequence, Evidence, consequence
from operations.protocol.states import (
    Channel,
    ChoiceCode,
    LookupResult,
    Question,
    ReceiptStatus,
    State,
)
from reconciliation.protocol.verdicts import Looked, conclude
from tests.campaigns.model.facts import DELAY, LAG, NOW, SEND_WITHIN, WINDOW, Known, facts_of, known
from tests.campaigns.model.state import EARLY, OTHERS, PENDING, YES, Moment
from tests.campaigns.model.switches import ELSEWHERE, FENCING_ONLY, Rules, World

KEY, ENVIRONMENT, PAYLOAD = "order-17", "production", {"sku": "A-1", "quantity": 2}


@cache
def profile_of(world: World) -> Profile:
    """The receiver as its profile describes it."""
    return Profile(
        receiver="supplier",
        connector="http",
        deduplicates=world.has_keys,
        dedup_window_seconds=WINDOW if world.has_keys else None,
        has_lookup=world.has_lookup,
        lookup_lag_seconds=LAG,
        delivery_delay_seconds=DELAY,
        enforces_fencing=world.receiver == FENCING_ONLY,
        send_within_seconds=SEND_WITHIN,
        second_person=world.second_person,
    )


def release_closed_by(
    moment: Moment, world: World, rules: Rules, *, at_mark: bool = False
) -> frozenset[str]:
    """The codes of rule 3 that stand against one more send, less what this variant ignores."""
    ignored = rules.ignored | (rules.ignored_at_mark if at_mark else frozenset())
    return _release_codes(known(moment, rules), world, at_mark=at_mark) - ignored


def finding_closed_by(moment: Moment, world: World, rules: Rules) -> frozenset[str]:
    """The codes that stand against "this did not happen", less what this variant ignores."""
    return _finding_codes(known(moment, rules), world) - rules.ignored


def is_supersedable(moment: Moment, world: World, rules: Rules) -> bool:
    """Whether the product lets people start an operation in place of this one."""
    return _is_supersedable(known(moment, rules), world)


@cache
def needs_second(world: World) -> bool:
    """Whether a release takes two people here."""
    return release_needs_second(profile_of(world))


@cache
def _release_codes(known: Known, world: World, *, at_mark: bool) -> frozenset[str]:
    blockers = release_blockers(
        facts_of(known), profile_of(world), NOW, second_person_agrees=True, at_mark=at_mark
    )
    return frozenset(blocker.code for blocker in blockers)


@cache
def _finding_codes(known: Known, world: World) -> frozenset[str]:
    blockers = not_executed_blockers(
        facts_of(known), profile_of(world), NOW, second_person_agrees=True
    )
    return frozenset(blocker.code for blocker in blockers)


@cache
def _is_supersedable(known: Known, world: World) -> bool:
    return not RULES[ChoiceCode.SUPERSEDE].blockers(facts_of(known), profile_of(world), NOW)


def _receipt(word: str) -> Receipt:
    return Receipt(
        operation_key=KEY,
        payload={"sku": "A-1", "quantity": 3} if word == OTHERS else PAYLOAD,
        status=ReceiptStatus.PENDING if word == PENDING else ReceiptStatus.CONFIRMED,
        effect_id="another" if word in (OTHERS, ELSEWHERE) else "effect",
        environment="staging" if word == ELSEWHERE else ENVIRONMENT,
    )


RECEIPTS = {word: _receipt(word) for word in (YES, PENDING, OTHERS, ELSEWHERE)}


@cache
def judged(word: str, world: World, rules: Rules) -> Judged:
    """What the product says of a receipt by itself, unless this variant looks away."""
    looks_away = (
        (word == OTHERS and not rules.compares_receipts)
        or (word == ELSEWHERE and not rules.heeds_environment)
        or (word == PENDING and not rules.pending_is_no_proof)
    )
    if looks_away:
        return Judged.MATCH
    return judge(
        RECEIPTS[word],
        key=KEY,
        environment=ENVIRONMENT,
        payload=PAYLOAD,
        profile=profile_of(world),
    ).verdict


@cache
def follows(
    word: str,
    channel: Channel,
    state: State,
    marks: int,
    world: World,
    rules: Rules,
    *,
    is_stale: bool,
) -> Consequence:
    """What the product makes of this receipt in this state, with so many attempts on record."""
    return consequence(
        Evidence(
            state=state,
            has_attempt=marks > 0,
            is_only_attempt=marks == 1,
            channel=channel,
            judged=judged(word, world, rules),
            status=RECEIPTS[word].status,
            has_differences=word in (OTHERS, ELSEWHERE),
            is_same_effect=(word in (YES, PENDING)) if state is State.CONFIRMED else None,
            is_stale=is_stale and rules.stale_reports_settle_nothing,
        )
    )


@cache
def asks_a_person(state: State, answer: str) -> bool:
    """Whether the product opens a question for a person after this empty lookup."""
    deadline_at = NOW - timedelta(seconds=2 * (DELAY + LAG))
    looked = Looked(
        state=state,
        grade=None,
        state_since=NOW - timedelta(days=1),
        last_call_at=deadline_at,
        result=LookupResult.NOT_FOUND,
        asked_at=deadline_at + timedelta(seconds=1) if answer == EARLY else NOW,
        could_not_ask_since=None,
        open_questions=frozenset(),
    )
    return conclude(looked, profile_of(World())).question is Question.UNKNOWN_OUTCOME


def forget_judgements() -> None:
    """Ask the product anew: for whoever changes one of its rules to see the model find it."""
    for judgement in (_release_codes, _finding_codes):
        judgement.cache_clear()
    _is_supersedable.cache_clear()
    needs_second.cache_clear()
    judged.cache_clear()
    follows.cache_clear()
    asks_a_person.cache_clear()
