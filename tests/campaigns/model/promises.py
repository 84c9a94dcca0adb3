"""What must never happen, judged on the truth: apart from the guards that are meant to keep it."""

from enum import Enum

from operations.protocol.states import Question, State
from tests.campaigns.model.state import (
    CLAIMED,
    DISPATCH,
    GRANTED,
    HAS_SENT,
    MARKED,
    OPERATOR,
    OVERDUE,
    OWNER,
    Act,
    Moment,
    Step,
)
from tests.campaigns.model.switches import WITHIN_QUARANTINE, World


class Promise(Enum):
    """Each is a sentence that no reachable moment or step may belie."""

    ONE_EFFECT = "at most one effect"
    MARK_FIRST = "no request without its own mark"
    EVIDENCE = "confirmed only with an effect of this operation"
    TRUE_NO = "refused, not_executed and cancelled only without an effect"
    FENCE = "marks only under the current token, while its lease lasts"
    STALE = "an older token's word settles nothing"
    APPROVED = "marks only with a yes in force for this very generation"
    HEARD = "no release, finding or mark while a word of an effect is unexplained"
    OTHERS = "nobody decides on their own request"
    TWO = "where it takes two people, two people decide"
    IN_TIME = "an overdue request takes no yes"
    FINAL = "after a rejection nothing is released or marked"
    HOLDS = "no successor is sent while a late receipt is unanswered"
    VISIBLE = "machines alone reach an end or ask a person"
    AN_END = "an end can be reached"


SETTLED_WITHOUT = (State.REFUSED, State.NOT_EXECUTED, State.CANCELLED)


def broken_in(moment: Moment, world: World) -> Promise | None:
    """The promise that this moment breaks."""
    if moment.effects + (moment.successor == HAS_SENT) > 1:
        return Promise.ONE_EFFECT
    if moment.state is State.CONFIRMED and not moment.effects:
        return Promise.EVIDENCE
    if moment.state in SETTLED_WITHOUT:
        # People can know it for sure only where nothing leaves after its deadline, and nothing
        # arrives after the quarantine.
        is_knowable = world.arrives == WITHIN_QUARANTINE and world.hard_deadline
        if moment.effects and is_knowable and not moment.evidence and not moment.review:
            return Promise.TRUE_NO
        if moment.state is State.CANCELLED and moment.has_attempt:
            return Promise.TRUE_NO
    return None


def broken_by(before: Moment, step: Step, world: World) -> Promise | None:
    """The promise that this step breaks."""
    judge = _BY_ACT.get(step.act)
    return judge(before, step, world) if judge else None


def _mark(before: Moment, step: Step, world: World) -> Promise | None:
    assert isinstance(step.who, int)
    worker = before.workers[step.who]
    if not worker.is_current or before.lease != DISPATCH:
        return Promise.FENCE
    has_yes = before.approval == GRANTED and before.yes_for == before.generation
    if world.needs_approval and not has_yes:
        return Promise.APPROVED
    if before.was_rejected:
        return Promise.FINAL
    if worker.phase == CLAIMED and (before.evidence or before.review):
        return Promise.HEARD
    return None


def _send(before: Moment, step: Step, world: World) -> Promise | None:
    """Each send uses up the mark of the very process that sends."""
    assert isinstance(step.who, int)
    is_marked = before.workers[step.who].phase == MARKED and before.attempt(step.generation).clock
    return None if is_marked else Promise.MARK_FIRST


def _report(before: Moment, step: Step, world: World) -> Promise | None:
    assert isinstance(step.who, int)
    if step.after.state is State.REFUSED and before.state is not State.REFUSED:
        is_under_way = any(attempt.request for attempt in step.after.attempts)
        if is_under_way or (step.after.effects and not world.others_send):
            return Promise.TRUE_NO
    moves = step.after.state is not before.state and step.after.state is not State.SENT_UNKNOWN
    return Promise.STALE if moves and not before.workers[step.who].is_current else None


def _approve(before: Moment, step: Step, world: World) -> Promise | None:
    if step.who == OWNER or (step.who == OPERATOR and before.generation > 1):
        return Promise.OTHERS
    return Promise.IN_TIME if before.approval == OVERDUE else None


def _release(before: Moment, step: Step, world: World) -> Promise | None:
    if before.was_rejected:
        return Promise.FINAL
    if before.evidence or before.review:
        return Promise.HEARD
    takes_two = world.second_person or not world.has_keys
    is_seconded = before.is_proposed and step.who != OPERATOR
    return Promise.TWO if takes_two and not is_seconded else None


def _find(before: Moment, step: Step, world: World) -> Promise | None:
    return Promise.HEARD if before.evidence or before.review else None


def _successor(before: Moment, step: Step, world: World) -> Promise | None:
    return Promise.HOLDS if before.review is Question.LATE_RECEIPT else None


_BY_ACT = {
    Act.MARK: _mark,
    Act.SEND: _send,
    Act.SEND_AGAIN: _send,
    Act.REPORT: _report,
    Act.APPROVE: _approve,
    Act.REJECT: _approve,
    Act.RELEASE: _release,
    Act.FIND: _find,
    Act.SUCCESSOR_SENDS: _successor,
}


def is_end(moment: Moment) -> bool:
    """Whether the operation is settled."""
    return moment.state not in (State.AWAITING_APPROVAL, State.READY, State.SENT_UNKNOWN)
