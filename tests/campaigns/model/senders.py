"""The workers: they claim, mark, send once, report, and die at any step."""

from collections.abc import Iterator

from operations.protocol.states import Channel, State
from operations.protocol.transitions import Event
from tests.campaigns.model.judging import release_closed_by
from tests.campaigns.model.record import (
    asked_anew,
    changed,
    finished,
    keep_stale_report,
    moved,
    take_receipt,
    take_refusal,
    turned_back,
    without_tokens,
)
from tests.campaigns.model.state import (
    ANSWERED,
    CLAIMED,
    DISPATCH,
    DUPLICATE,
    EARLY,
    FLYING,
    GRANTED,
    IDLE,
    LATE,
    MARKED,
    MAY_SEND,
    NO,
    NOBODY,
    NOT_FOUND,
    NOTHING,
    SENT,
    SILENCE,
    Act,
    Attempt,
    Moment,
    Step,
    Worker,
)
from tests.campaigns.model.switches import Rules, World


def steps(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Everything that some worker can do now."""
    for index, worker in enumerate(moment.workers):
        if worker.phase == IDLE:
            yield from _claims(moment, index)
            continue
        yield Step(Act.CRASH, _with(moment, index, Worker()), index)
        if worker.phase == CLAIMED:
            yield _mark(moment, index, world, rules)
        if worker.phase == ANSWERED:
            yield _report(moment, index, world, rules)
            yield from _repeats(moment, index, rules)
        elif worker.phase == SENT:
            silent = worker._replace(phase=ANSWERED, reply=SILENCE)
            yield Step(Act.GIVE_UP, _with(moment, index, silent), index)
        yield from _sends(moment, index, world, rules)


def _with(moment: Moment, index: int, worker: Worker) -> Moment:
    return moment._replace(workers=moment.with_worker(index, worker))


def _claims(moment: Moment, index: int) -> Iterator[Step]:
    """Rule 7: a ready row, a free slot, no open review. The same nonce gets the same claim."""
    is_open = moment.review is None and not moment.is_asked
    if moment.state is State.READY and moment.lease == NOBODY and is_open:
        cleared = moment._replace(workers=without_tokens(moment), lease=DISPATCH)
        yield Step(Act.CLAIM, _with(cleared, index, Worker(CLAIMED, is_current=True)), index)
    if moment.lease == DISPATCH and not any(worker.is_current for worker in moment.workers):
        yield Step(Act.SAME_CLAIM, _with(moment, index, Worker(CLAIMED, is_current=True)), index)


def _mark(moment: Moment, index: int, world: World, rules: Rules) -> Step:
    """Rule 1, in the order in which the product asks."""
    worker = moment.workers[index]
    if not rules.mark_is_conditional:
        return _marked(moment, index, state=State.SENT_UNKNOWN)  # a blind UPDATE asks no table
    refused = Step(Act.MARK_REFUSED, _with(moment, index, Worker()), index)
    attempt = moment.attempt(moment.generation)
    if attempt.clock and rules.marks_once:
        return refused
    if moment.state is not State.READY and not (attempt.clock and moment.state is _UNKNOWN):
        return refused
    if not worker.is_current or (rules.mark_needs_lease and moment.lease != DISPATCH):
        return refused
    if attempt.clock:
        return _marked(moment, index, state=State.SENT_UNKNOWN)
    return _judged_mark(moment, index, world, rules) or _marked(
        moment, index, state=moved(moment, Event.MARK).state
    )


_UNKNOWN = State.SENT_UNKNOWN


def _judged_mark(moment: Moment, index: int, world: World, rules: Rules) -> Step | None:
    """An approval that ran out, or a release that no longer holds, moves the operation back."""
    is_for_this = moment.yes_for == moment.generation or not rules.yes_is_for_generation
    lacks_yes = moment.approval != GRANTED or not is_for_this
    if world.needs_approval and rules.mark_needs_yes and lacks_yes:
        after = asked_anew(_with(moment, index, Worker()))
        return Step(Act.MARK_REFUSED, after, index)
    if moment.generation > 1 and release_closed_by(moment, world, rules, at_mark=True):
        after = turned_back(_with(moment, index, Worker()))
        return Step(Act.MARK_REFUSED, after, index)
    if rules.mark_heeds_evidence and (moment.review or moment.is_asked or moment.evidence):
        return Step(Act.MARK_REFUSED, _with(moment, index, Worker()), index)
    return None


def _marked(moment: Moment, index: int, *, state: State) -> Step:
    worker, generation = moment.workers[index], moment.generation
    attempt = moment.attempt(generation)
    after = changed(
        moment,
        state=state,
        attempts=moment.with_attempt(generation, Attempt(MAY_SEND, attempt.request)),
        looked=NOTHING,
        asking=EARLY if moment.asking == NOT_FOUND else moment.asking,
    )
    is_first = worker.phase == CLAIMED
    ready = worker._replace(phase=MARKED if is_first else worker.phase, generation=generation)
    return Step(Act.MARK, _with(after, index, ready), index, generation)


def _sends(moment: Moment, index: int, world: World, rules: Rules) -> Iterator[Step]:
    worker = moment.workers[index]
    if worker.phase == CLAIMED and not rules.marks_before_send:
        if moment.lease == DISPATCH and worker.is_current:
            yield _sent(moment, index, moment.generation, FLYING)
        return
    if worker.phase != MARKED:
        return
    clock = moment.attempt(worker.generation).clock
    is_in_time = clock == MAY_SEND or not world.hard_deadline
    may = is_in_time and (worker.is_current or not rules.looks_again_before_send)
    if may:
        yield _sent(moment, index, worker.generation, FLYING if clock == MAY_SEND else LATE)
    if clock != MAY_SEND or not may:
        unsent = worker._replace(phase=ANSWERED, reply=SILENCE)
        yield Step(Act.GIVE_UP, _with(moment, index, unsent), index)


def _sent(moment: Moment, index: int, generation: int, request: int, act: Act = Act.SEND) -> Step:
    attempt = moment.attempt(generation)._replace(request=request)
    waiting = Worker(SENT, moment.workers[index].is_current, generation)
    after = moment._replace(attempts=moment.with_attempt(generation, attempt))
    return Step(act, _with(after, index, waiting), index, generation)


def _repeats(moment: Moment, index: int, rules: Rules) -> Iterator[Step]:
    worker = moment.workers[index]
    if not rules.sends_once and worker.reply == SILENCE:
        generation = worker.generation
        yield _sent(moment, index, generation, FLYING, Act.SEND_AGAIN)


def _report(moment: Moment, index: int, world: World, rules: Rules) -> Step:
    """What the sender heard, under its token: the current one settles, an older one is evidence."""
    worker = moment.workers[index]
    generation, reply = worker.generation, worker.reply
    if not moment.attempt(generation).clock:  # it sent first, and marks only now
        return _late_mark(moment, index)
    is_stale = not worker.is_current
    freed = _with(moment, index, Worker())
    if reply in (NO, DUPLICATE, SILENCE):
        if is_stale:
            after = keep_stale_report(freed, world)
        elif reply == SILENCE:
            after = freed
        else:
            after = take_refusal(freed, rules, is_duplicate=reply == DUPLICATE)
    else:
        after = take_receipt(freed, reply, Channel.RESPONSE, world, rules, is_stale=is_stale)
    if not is_stale:
        after = finished(after, worker, generation, world, rules)
    return Step(Act.REPORT, after, index, generation, reply or "the outcome is unknown")


def _late_mark(moment: Moment, index: int) -> Step:
    worker = moment.workers[index]
    if moment.state is State.READY and worker.is_current and moment.lease == DISPATCH:
        return _marked(moment, index, state=moved(moment, Event.MARK).state)
    return Step(Act.MARK_REFUSED, _with(moment, index, Worker()), index)
