"""The receiver and the way there: requests arrive, are lost, answered, deduplicated, forgotten."""

from collections.abc import Iterator

from tests.campaigns.model.state import (
    ANSWERED,
    DUPLICATE,
    FLYING,
    LATE,
    NO,
    NOWHERE,
    PENDING,
    SENT,
    YES,
    Act,
    Moment,
    Step,
)
from tests.campaigns.model.switches import FENCING_ONLY, World


def steps(moment: Moment, world: World) -> Iterator[Step]:
    """Everything that can become of a request under way."""
    if world.others_send and not moment.effects:
        yield Step(Act.STRANGER, moment._replace(effects=1, knows_key=world.has_keys))
    for generation, attempt in enumerate(moment.attempts, start=1):
        if attempt.request not in (FLYING, LATE):
            continue
        gone = moment._replace(
            attempts=moment.with_attempt(generation, attempt._replace(request=NOWHERE))
        )
        yield Step(Act.LOST, _unanswered(gone, generation), generation=generation)
        yield from _arrivals(gone, generation, world)
        if PENDING in world.replies:
            yield from _answers(moment, generation, (PENDING,), Act.ARRIVES_AGAIN)


def _arrivals(moment: Moment, generation: int, world: World) -> Iterator[Step]:
    if moment.knows_key:
        again = tuple(word for word in world.replies if word in (YES, DUPLICATE))
        yield from _answers(moment, generation, again, Act.ARRIVES_AGAIN)
        return
    if world.receiver == FENCING_ONLY and generation < moment.highest_seen:
        return  # an older token: refused as stale, which says nothing, so it is as if lost
    done = moment._replace(
        effects=min(2, moment.effects + 1),
        knows_key=world.has_keys,
        highest_seen=max(moment.highest_seen, generation) if _is_fencing(world) else 0,
    )
    yield Step(Act.ARRIVES, _unanswered(done, generation), generation=generation)
    said = tuple(word for word in world.replies if word not in (NO, PENDING))
    yield from _answers(done, generation, said, Act.ARRIVES)
    if NO in world.replies:
        yield from _answers(moment, generation, (NO,), Act.REFUSES)


def _unanswered(moment: Moment, generation: int) -> Moment:
    """Its sender hears nothing. That it may wait on for a while makes no difference to anybody."""
    for index, worker in enumerate(moment.workers):
        if worker.phase == SENT and worker.generation == generation:
            silent = worker._replace(phase=ANSWERED)
            return moment._replace(workers=moment.with_worker(index, silent))
    return moment


def _is_fencing(world: World) -> bool:
    return world.receiver == FENCING_ONLY


def _answers(moment: Moment, generation: int, words: tuple[str, ...], act: Act) -> Iterator[Step]:
    """The answer reaches its sender, if that one still waits."""
    for index, worker in enumerate(moment.workers):
        if worker.phase == SENT and worker.generation == generation:
            for word in words:
                heard = worker._replace(phase=ANSWERED, reply=word)
                after = moment._replace(workers=moment.with_worker(index, heard))
                yield Step(act, after, generation=generation, reply=word)
            return
