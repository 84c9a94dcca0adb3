"""The operator, a second person and the owner: approvals, releases, findings, reviews."""

from collections.abc import Iterator

from operations.protocol.states import OPEN_STATES, Question, State
from operations.protocol.transitions import Event
from tests.campaigns.model.judging import (
    finding_closed_by,
    is_supersedable,
    needs_second,
    release_closed_by,
)
from tests.campaigns.model.record import (
    changed,
    closed,
    ended_without_yes,
    moved,
    released,
    settled,
    without_tokens,
)
from tests.campaigns.model.state import (
    GRANTED,
    HAS_SENT,
    HELD,
    MARKED,
    MAY_SEND,
    NO_SUCCESSOR,
    NOBODY,
    OPEN,
    OPERATOR,
    OVERDUE,
    OWNER,
    REJECTED,
    SECOND,
    SENT,
    WAITS,
    Act,
    Moment,
    Step,
)
from tests.campaigns.model.switches import Rules, World


def steps(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Everything that some person can do now."""
    if moment.state is State.AWAITING_APPROVAL:
        yield from _answers(moment, rules)
    if moment.state in (State.AWAITING_APPROVAL, State.READY) and not moment.has_attempt:
        yield _withdrawal(moment)
    if moment.has_attempt and moment.state in OPEN_STATES:
        yield from _releases(moment, world, rules)
        yield from _findings(moment, world, rules)
    if moment.state is State.SENT_UNKNOWN and not world.has_keys:
        yield from _closings(moment, world, rules)
    yield from _evidence(moment)
    if world.has_successor:
        yield from _successions(moment, world, rules)


def _answers(moment: Moment, rules: Rules) -> Iterator[Step]:
    """Rule 13: neither the owner nor, after a release, whoever asked for the send."""
    takes_yes = moment.approval == OPEN or (
        moment.approval == OVERDUE and not rules.overdue_takes_no_yes
    )
    if not takes_yes:
        return
    excluded = {OWNER} if moment.generation == 1 else {OWNER, OPERATOR}
    for person in (OPERATOR, SECOND, OWNER):
        if person in excluded and rules.others_decide:
            continue
        yes = moved(moment, Event.APPROVE, approval=GRANTED, yes_for=moment.generation)
        yield Step(Act.APPROVE, yes, person, moment.generation)
        no = moment._replace(was_rejected=True)
        after = ended_without_yes(no, rules, approval=REJECTED)
        yield Step(Act.REJECT, after, person, moment.generation)


def _withdrawal(moment: Moment) -> Step:
    after = settled(moment, Event.CANCEL, workers=without_tokens(moment), lease=NOBODY)
    return Step(Act.WITHDRAW, after, OWNER)


def _releases(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Rule 3, judged when it is proposed and again at the commit that carries it out."""
    if moment.generation >= world.generations or not rules.people_may_release:
        return
    if release_closed_by(moment, world, rules):
        return
    takes_two = needs_second(world) and "needs_second_person" not in rules.ignored
    if takes_two and not moment.is_proposed:
        yield Step(Act.PROPOSE, changed(moment)._replace(is_proposed=True), OPERATOR)
        return
    after = released(moment, world, rules)
    seconds = (SECOND,) if rules.others_second or not takes_two else (SECOND, OPERATOR)
    for person in seconds if takes_two else (OPERATOR,):
        yield Step(Act.RELEASE, after, person, after.generation)


def _findings(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Not executed, by two people; without a lookup somebody at the receiver says what is true."""
    is_said = world.has_lookup or not moment.effects
    if is_said and not finding_closed_by(moment, world, rules):
        yield Step(Act.FIND, settled(moment, Event.FIND_NOT_EXECUTED), OPERATOR)


def _closings(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Two people made sure that the sender is gone, after its deadline; and they are right."""
    if any(attempt.clock == MAY_SEND for attempt in moment.attempts):
        return
    for generation, attempt in enumerate(moment.attempts, start=1):
        lives = any(
            worker.generation == generation and worker.phase in (MARKED, SENT)
            for worker in moment.workers
        )
        if attempt.clock and not attempt.is_closed and not lives:
            after = closed(moment, generation, world, rules)
            yield Step(Act.CLOSE_ATTEMPT, after, generation=generation)


def _evidence(moment: Moment) -> Iterator[Step]:
    """Exits of reviews. People confirm only what they see at the receiver."""
    if moment.evidence and moment.review is None:
        yield Step(Act.SET_ASIDE, changed(moment, evidence=False))
    if moment.review is not None:
        explains = moment.review is not Question.DUPLICATE_ANSWER
        after = changed(
            moment,
            review=None,
            evidence=moment.evidence and not explains,
            successor=WAITS if moment.successor == HELD else moment.successor,
        )
        yield Step(Act.SETTLE, after, OPERATOR)
    if moment.effects:
        if moment.state in OPEN_STATES and moment.has_attempt:
            yield Step(Act.ATTEST, _confirmed(moment, Event.CONFIRM), OPERATOR)
        elif moment.review is Question.LATE_RECEIPT:
            yield Step(Act.ATTEST, _confirmed(moment, Event.CORRECT), OPERATOR)


def _confirmed(moment: Moment, event: Event) -> Moment:
    return settled(moment, event, review=None, evidence=False)


def _successions(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """A new operation in place of one that had no effect; a late receipt holds it (rule 3)."""
    if moment.successor == NO_SUCCESSOR:
        is_early = moment.state is State.SENT_UNKNOWN and not rules.supersedes_only_settled
        if is_early or is_supersedable(moment, world, rules):
            yield Step(Act.SUPERSEDE, changed(moment, successor=WAITS), OPERATOR)
    elif moment.successor == WAITS:
        yield Step(Act.SUCCESSOR_SENDS, moment._replace(successor=HAS_SENT))
