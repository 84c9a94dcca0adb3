"""How the record moves: every change of state asks the product's own transition table."""

from typing import Any

from operations.protocol.states import Channel, Question, State
from operations.protocol.transitions import Event, next_state
from tests.campaigns.model.judging import follows
from tests.campaigns.model.state import (
    DEADLINE_OVER,
    DISPATCH,
    EARLY,
    FLYING,
    GRANTED,
    HELD,
    LATE,
    NOBODY,
    NOT_FOUND,
    NOTHING,
    OPEN,
    OVERDUE,
    QUARANTINE_OVER,
    VOID,
    WAITS,
    Attempt,
    Moment,
    Worker,
)
from tests.campaigns.model.switches import Rules, World

RELEASED_STATES = (State.READY, State.AWAITING_APPROVAL)


def changed(moment: Moment, **changes: Any) -> Moment:
    """A change that makes a new version, which voids an open proposal (section 6)."""
    return moment._replace(is_proposed=False, **changes)


def moved(moment: Moment, event: Event, **changes: Any) -> Moment:
    """The state after this event. Raises IllegalTransition where the table refuses it."""
    return changed(moment, state=next_state(moment.state, event), **changes)


def without_tokens(moment: Moment) -> tuple[Worker, ...]:
    """The workers once no token of theirs is current: void, or a higher one was issued."""
    return tuple(
        worker._replace(is_current=False) if worker.is_current else worker
        for worker in moment.workers
    )


def turned_back(moment: Moment, **changes: Any) -> Moment:
    """Back to sent_unknown: the dispatch claim is void, and so is an open request."""
    approval = VOID if moment.approval in (OPEN, OVERDUE) else moment.approval
    return moved(
        moment,
        Event.TURN_BACK,
        workers=without_tokens(moment),
        lease=NOBODY,
        **{"approval": approval, **changes},
    )


def settled(moment: Moment, event: Event, **changes: Any) -> Moment:
    """An end. It answers what was asked, and nothing waits for a yes any more.

    What can matter no more is forgotten, which keeps the number of moments small: a lookup under
    way brings nothing then that a webhook doesn't, and no claim leads anywhere.
    """
    forgotten = {"is_asked": False, "looked": NOTHING, "asking": NOTHING, "lease": NOBODY}
    if moment.approval in (OPEN, OVERDUE, GRANTED):
        forgotten["approval"] = VOID
    after = moved(moment, event, **{**forgotten, **changes})
    if after.state is State.CONFIRMED:
        return after._replace(evidence=False, review=None)
    return after


def ended_without_yes(moment: Moment, rules: Rules, *, approval: str) -> Moment:
    """`cancelled` where nothing was sent, else back to sent_unknown (section 2)."""
    if moment.has_attempt and rules.cancels_only_unsent:
        return turned_back(moment, approval=approval)
    return settled(
        moment, Event.CANCEL, approval=approval, workers=without_tokens(moment), lease=NOBODY
    )


def closed(moment: Moment, generation: int, world: World, rules: Rules) -> Moment:
    """The attempt is closed. Without keys its quarantine counts from then, if that is later."""
    attempt = moment.attempt(generation)
    if attempt.is_closed or not attempt.clock:
        return moment
    end = Attempt(attempt.clock, attempt.request, is_closed=True)
    if world.has_keys:
        return moment  # rule 3 (d) asks for it only where no key protects
    if not rules.quarantine_from_end or attempt.clock < DEADLINE_OVER:
        return moment._replace(attempts=moment.with_attempt(generation, end))
    end = Attempt(
        DEADLINE_OVER, FLYING if attempt.request == LATE else attempt.request, is_closed=True
    )
    restarts = attempt.clock == QUARANTINE_OVER
    return moment._replace(
        attempts=moment.with_attempt(generation, end),
        looked=NOTHING if restarts else moment.looked,
        asking=EARLY if restarts and moment.asking == NOT_FOUND else moment.asking,
    )


def finished(moment: Moment, worker: Worker, generation: int, world: World, rules: Rules) -> Moment:
    """A current token's report closes its attempt and frees the machine slot."""
    after = closed(moment, generation, world, rules)
    if worker.is_current and after.lease == DISPATCH:
        after = after._replace(lease=NOBODY)
    return after


def take_receipt(
    moment: Moment,
    word: str,
    channel: Channel,
    world: World,
    rules: Rules,
    *,
    is_stale: bool = False,
) -> Moment:
    """A receipt is kept and judged, and the product says what follows (rule 4)."""
    marks = sum(1 for attempt in moment.attempts if attempt.clock)
    what = follows(word, channel, moment.state, marks, world, rules, is_stale=is_stale)
    if what.event is not None:
        return settled(moment, what.event)
    if not what.needs_explanation or moment.state is State.CONFIRMED:
        return moment  # the reviews of what is confirmed move no state
    after = changed(moment, evidence=True, review=moment.review or what.question)
    if moment.state in RELEASED_STATES and what.question is None:
        after = turned_back(after)
    elif what.question is Question.LATE_RECEIPT and rules.late_receipt_holds_successor:
        after = after._replace(successor=HELD if after.successor == WAITS else after.successor)
    if is_stale and not world.has_lookup and after.state is State.SENT_UNKNOWN:
        after = after._replace(is_asked=True)
    return after


def take_refusal(moment: Moment, rules: Rules, *, is_duplicate: bool) -> Moment:
    """A current token's report of a listed refusal settles the only attempt there is (rule 6)."""
    is_only = sum(1 for attempt in moment.attempts if attempt.clock) == 1
    is_no = not is_duplicate or not rules.duplicate_is_no_refusal
    is_only = is_only or not rules.refuses_only_attempt
    if is_no and is_only and moment.state is State.SENT_UNKNOWN:
        return settled(moment, Event.REFUSE)
    if is_duplicate:
        return changed(moment, review=moment.review or Question.DUPLICATE_ANSWER)
    return changed(moment)


def keep_stale_report(moment: Moment, world: World) -> Moment:
    """A word under an older token closes release until it is explained (rules 3 c and 4)."""
    if moment.state is State.CONFIRMED:
        return moment
    after = changed(moment, evidence=True)
    if after.state in RELEASED_STATES:
        return turned_back(after)
    if not world.has_lookup and after.state is State.SENT_UNKNOWN:
        return after._replace(is_asked=True)
    return after


def asked_anew(moment: Moment) -> Moment:
    """A new round for this generation, by event ASK_AGAIN; the dispatch claim is void."""
    return moved(
        moment, Event.ASK_AGAIN, approval=OPEN, workers=without_tokens(moment), lease=NOBODY
    )


def released(moment: Moment, world: World, rules: Rules) -> Moment:
    """The next generation is open for one send, after a new yes where one is needed."""
    after = moved(moment, Event.RELEASE, generation=moment.generation + 1, is_asked=False)
    return asked_anew(after) if world.needs_approval and rules.release_asks_anew else after
