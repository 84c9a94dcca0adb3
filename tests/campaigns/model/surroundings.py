"""Time, sweeps, the reconciler and webhooks: whatever happens without workers and people."""

from collections.abc import Iterator

from operations.protocol.states import Channel, State
from operations.protocol.transitions import Event
from tests.campaigns.model.judging import asks_a_person
from tests.campaigns.model.promises import is_end
from tests.campaigns.model.record import (
    changed,
    ended_without_yes,
    released,
    settled,
    take_receipt,
    without_tokens,
)
from tests.campaigns.model.state import (
    DEADLINE_OVER,
    DISPATCH,
    EARLY,
    EXPIRED,
    FLYING,
    FOUND,
    GRANTED,
    LAPSED,
    LATE,
    LOOKUP,
    MARKED,
    MAY_SEND,
    NOBODY,
    NOT_FOUND,
    NOTHING,
    OPEN,
    OVERDUE,
    QUARANTINE_OVER,
    YES,
    Act,
    Attempt,
    Moment,
    Step,
)
from tests.campaigns.model.switches import (
    KEYS_FORGOTTEN,
    WITHIN_QUARANTINE,
    WITHIN_WINDOW,
    Rules,
    World,
)


def steps(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Everything that happens by itself."""
    yield from _time(moment, world, rules)
    yield from _sweeps(moment, world, rules)
    yield from _lookups(moment, world, rules)
    for word in world.webhooks:
        if word != YES or moment.effects:
            after = take_receipt(moment, word, Channel.WEBHOOK, world, rules)
            yield Step(Act.WEBHOOK, after, reply=word)


def _time(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    if is_end(moment) and world.receiver != KEYS_FORGOTTEN:
        return  # from here on time only closes ways: leaving them open hides nothing
    yield from _clocks(moment, world, rules)
    if world.receiver == KEYS_FORGOTTEN:
        yield from _window(moment, world)
    if moment.looked == NOT_FOUND:
        yield Step(Act.OLD_NOT_FOUND, moment._replace(looked=NOTHING))
    if moment.state is State.READY and moment.approval == GRANTED:
        yield Step(Act.YES_LAPSES, moment._replace(approval=LAPSED))
    if moment.approval == OPEN:
        yield Step(Act.REQUEST_OVERDUE, moment._replace(approval=OVERDUE))


def _clocks(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    may_send = any(attempt.clock == MAY_SEND for attempt in moment.attempts)
    # A send deadline is never later than the lease under which it was marked (rule 9).
    if moment.lease and rules.leases_end and not (moment.lease == DISPATCH and may_send):
        yield Step(Act.LEASE_ENDS, moment._replace(lease=NOBODY))
    for generation, attempt in enumerate(moment.attempts, start=1):
        if attempt.clock == MAY_SEND:
            yield _ticked(moment, generation, DEADLINE_OVER, Act.DEADLINE)
        elif attempt.clock == DEADLINE_OVER and _may_end(attempt, world):
            yield _ticked(moment, generation, QUARANTINE_OVER, Act.QUARANTINE)


def _may_end(attempt: Attempt, world: World) -> bool:
    """A request that left in time has arrived or is lost by then, where the world keeps to it."""
    return world.arrives != WITHIN_QUARANTINE or attempt.request != FLYING


def _ticked(moment: Moment, generation: int, clock: int, act: Act) -> Step:
    attempt = moment.attempt(generation)._replace(clock=clock)
    after = moment._replace(attempts=moment.with_attempt(generation, attempt))
    return Step(act, after, generation=generation)


def _window(moment: Moment, world: World) -> Iterator[Step]:
    if not moment.window_over and moment.attempts[0].clock == QUARANTINE_OVER:
        yield Step(Act.WINDOW, moment._replace(window_over=True))
    if moment.window_over and moment.knows_key and not _is_bound_to_arrive(moment, world):
        yield Step(Act.FORGETS, moment._replace(knows_key=False))


def _is_bound_to_arrive(moment: Moment, world: World) -> bool:
    """Whether something must still arrive before the receiver forgets."""
    if world.arrives != WITHIN_WINDOW:
        return False
    counted = moment.attempts if world.margin_covers_way else moment.attempts[:1]
    can_still_leave = any(worker.phase == MARKED for worker in moment.workers)
    return any(
        attempt.request in (FLYING, LATE) or (attempt.clock == MAY_SEND and can_still_leave)
        for attempt in counted
    )


def _sweeps(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    if moment.approval == OVERDUE and rules.overdue_requests_are_swept:
        after = ended_without_yes(moment, rules, approval=EXPIRED)
        yield Step(Act.SWEEP_REQUEST, after)
    if moment.state is not State.SENT_UNKNOWN:
        return
    if not world.has_lookup and not moment.is_asked and _is_quiet(moment):
        yield Step(Act.ASK_PERSON, changed(moment, is_asked=True))
    if not rules.only_people_release and moment.lease == NOBODY and moment.generation == 1:
        yield Step(Act.TIMER_RELEASES, released(moment, world, rules))


def _is_quiet(moment: Moment) -> bool:
    return all(attempt.clock in (0, QUARANTINE_OVER) for attempt in moment.attempts)


def _lookups(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    if moment.asking:
        dead = moment._replace(asking=NOTHING)
        yield Step(Act.CRASH, dead, "the reconciler")
        yield Step(Act.RECORD, _recorded(moment, world, rules))
        return
    is_free = moment.lease == NOBODY and moment.state is State.SENT_UNKNOWN
    if not is_free or not world.has_lookup:
        return
    if any(attempt.clock == MAY_SEND for attempt in moment.attempts):
        return  # no lookup is taken as evidence while the sender may still act (rule 9)
    taken = moment._replace(lease=LOOKUP, workers=without_tokens(moment))
    for answer in _answers(moment, world):
        yield Step(Act.ASK, taken._replace(asking=answer), reply=answer)


def _answers(moment: Moment, world: World) -> Iterator[str]:
    """What the receiver may say: an effect may not show yet, until the quarantine is over."""
    if moment.effects:
        yield FOUND
    is_true = world.arrives == WITHIN_QUARANTINE
    if _is_quiet(moment):
        if not moment.effects or not is_true:
            yield NOT_FOUND
    else:
        yield EARLY


def counts_early(rules: Rules) -> bool:
    """Whether a variant makes something of a lookup that was asked too early."""
    return not rules.early_answers_are_void or not rules.quarantine_has_delay


def _recorded(moment: Moment, world: World, rules: Rules) -> Moment:
    """Written down on the receiver's own authority; the slot is free again (rules 4 and 5)."""
    answer = moment.asking
    freed = moment._replace(
        asking=NOTHING, lease=NOBODY if moment.lease == LOOKUP else moment.lease
    )
    if answer == FOUND:
        return take_receipt(freed._replace(looked=NOTHING), YES, Channel.LOOKUP, world, rules)
    if answer == EARLY and not rules.asked_at_counts and _is_quiet(moment):
        answer = NOT_FOUND
    if answer == NOT_FOUND or (answer == EARLY and counts_early(rules) and not freed.looked):
        freed = freed._replace(looked=answer)
    if not rules.not_found_is_no_refusal and moment.state is State.SENT_UNKNOWN:
        return settled(freed, Event.REFUSE)
    asks = rules.not_found_asks_a_person and asks_a_person(moment.state, answer)
    return changed(freed, is_asked=True) if asks and not freed.is_asked else freed
