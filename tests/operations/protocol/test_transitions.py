import pytest

from operations.protocol.states import OPEN_STATES, SETTLED_STATES, State
from operations.protocol.transitions import Event, IllegalTransition, next_state, state_pairs

LEADS_TO = {
    State.AWAITING_APPROVAL: {
        Event.APPROVE: State.READY,
        Event.CANCEL: State.CANCELLED,
        Event.TURN_BACK: State.SENT_UNKNOWN,
        Event.CONFIRM: State.CONFIRMED,
    },
    State.READY: {
        Event.ASK_AGAIN: State.AWAITING_APPROVAL,
        Event.CANCEL: State.CANCELLED,
        Event.MARK: State.SENT_UNKNOWN,
        Event.TURN_BACK: State.SENT_UNKNOWN,
        Event.CONFIRM: State.CONFIRMED,
    },
    State.SENT_UNKNOWN: {
        Event.CONFIRM: State.CONFIRMED,
        Event.REFUSE: State.REFUSED,
        Event.FIND_NOT_EXECUTED: State.NOT_EXECUTED,
        Event.RELEASE: State.READY,
    },
    State.CONFIRMED: {},
    State.REFUSED: {Event.CORRECT: State.CONFIRMED},
    State.NOT_EXECUTED: {Event.CORRECT: State.CONFIRMED},
    State.CANCELLED: {Event.CORRECT: State.CONFIRMED},
}


def outcome(state: State, event: Event) -> State | None:
    try:
        return next_state(state, event)
    except IllegalTransition as refusal:
        return None if (refusal.state, refusal.event) == (state, event) else state


@pytest.mark.parametrize("state", list(State))
def test_every_pair_is_decided(state: State) -> None:
    found = {event: outcome(state, event) for event in Event}
    assert found == {event: LEADS_TO[state].get(event) for event in Event}


def test_what_the_table_lacks_is_refused_by_name() -> None:
    with pytest.raises(IllegalTransition, match="release is not allowed in state confirmed"):
        next_state(State.CONFIRMED, Event.RELEASE)


def test_every_event_leads_somewhere() -> None:
    assert {event for events in LEADS_TO.values() for event in events} == set(Event)


@pytest.mark.parametrize("word", ["sent", "", "READY", "failed"])
def test_an_unknown_state_is_an_error(word: str) -> None:
    with pytest.raises(ValueError, match="is not a valid State"):
        next_state(word, Event.CONFIRM)  # type: ignore[arg-type]


def test_an_unknown_event_is_an_error() -> None:
    with pytest.raises(ValueError, match="is not a valid Event"):
        next_state(State.READY, "retry")  # type: ignore[arg-type]


def test_only_a_release_leads_from_an_unknown_outcome_to_ready() -> None:
    ways = [event for event in Event if LEADS_TO[State.SENT_UNKNOWN].get(event) is State.READY]
    assert ways == [Event.RELEASE]


def test_nothing_leads_out_of_confirmed() -> None:
    assert not [pair for pair in state_pairs() if pair[0] is State.CONFIRMED]


def test_a_settled_operation_never_opens_again() -> None:
    assert {after for before, after in state_pairs() if before in SETTLED_STATES} == {
        State.CONFIRMED
    }
    assert set(State) == OPEN_STATES | SETTLED_STATES
