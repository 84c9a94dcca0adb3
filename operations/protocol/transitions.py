"""One table decides what may follow what; everything else asks it."""

from enum import StrEnum

from operations.protocol.states import State


class Event(StrEnum):
    """What can happen to an operation's state."""

    APPROVE = "approve"
    ASK_AGAIN = "ask_again"  # a yes lost its validity before the mark, or one is newly needed
    CANCEL = "cancel"
    MARK = "mark"
    TURN_BACK = "turn_back"  # an attempt is on record, so "never sent" can't be said
    CONFIRM = "confirm"
    REFUSE = "refuse"
    FIND_NOT_EXECUTED = "find_not_executed"
    RELEASE = "release"
    CORRECT = "correct"  # people agree that a late receipt is this operation's effect


class IllegalTransition(Exception):
    """An event that the state does not allow."""

    def __init__(self, state: State, event: Event) -> None:
        self.state, self.event = state, event
        super().__init__(f"Event {event} is not allowed in state {state}.")


TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.AWAITING_APPROVAL, Event.APPROVE): State.READY,
    (State.READY, Event.ASK_AGAIN): State.AWAITING_APPROVAL,
    (State.AWAITING_APPROVAL, Event.CANCEL): State.CANCELLED,  # only without an attempt
    (State.READY, Event.CANCEL): State.CANCELLED,  # only without an attempt
    (State.AWAITING_APPROVAL, Event.TURN_BACK): State.SENT_UNKNOWN,
    (State.READY, Event.TURN_BACK): State.SENT_UNKNOWN,
    (State.READY, Event.MARK): State.SENT_UNKNOWN,  # on disk before the call leaves
    (State.SENT_UNKNOWN, Event.CONFIRM): State.CONFIRMED,
    (State.READY, Event.CONFIRM): State.CONFIRMED,  # a late receipt of an earlier generation
    (State.AWAITING_APPROVAL, Event.CONFIRM): State.CONFIRMED,  # likewise
    (State.SENT_UNKNOWN, Event.REFUSE): State.REFUSED,
    (State.SENT_UNKNOWN, Event.FIND_NOT_EXECUTED): State.NOT_EXECUTED,
    (State.SENT_UNKNOWN, Event.RELEASE): State.READY,  # a person's decision, never a timer's
    (State.REFUSED, Event.CORRECT): State.CONFIRMED,
    (State.NOT_EXECUTED, Event.CORRECT): State.CONFIRMED,
    (State.CANCELLED, Event.CORRECT): State.CONFIRMED,
}


def next_state(state: State, event: Event) -> State:
    """The state that `event` leads to from `state`.

    Raises IllegalTransition when the table has no such pair, ValueError for an unknown word.
    """
    try:
        return TRANSITIONS[State(state), Event(event)]
    except KeyError:
        raise IllegalTransition(State(state), Event(event)) from None


def state_pairs() -> frozenset[tuple[State, State]]:
    """Every (before, after) that the table allows; the database's trigger is made from it."""
    return frozenset((before, after) for (before, _), after in TRANSITIONS.items())
