"""What each choice will and will not do, said before it is done, and the words on its button."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from operations.protocol.states import ChoiceCode, State
from operations.roles import Ability

PRIMARY, DANGER, PLAIN = "primary", "danger", "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """`url_name` is the decision's noun; `shortcut` a key that goes to it and does nothing else."""

    url_name: str
    does: Sequence[str]
    does_not: Sequence[str]
    button: str
    weight: str = PLAIN
    ability: Ability = Ability.SETTLE
    shortcut: str = ""


_NO_SEND = "Sends nothing."

# An open review and unexplained evidence hold a send back until people answer.
_LETS_SEND = (
    "Sends nothing itself, but lifts what holds this back; it may be sent once nothing else does."
)
_LIFTING = (ChoiceCode.SETTLE_REVIEW, ChoiceCode.SET_ASIDE)


def promise_of(code: ChoiceCode, state: State) -> Promise:
    """What the choice promises for an operation in this state."""
    promise = PROMISES[code]
    if code not in _LIFTING or state not in (State.READY, State.AWAITING_APPROVAL):
        return promise
    rest = tuple(sentence for sentence in promise.does_not if sentence != _NO_SEND)
    return replace(promise, does=(*promise.does, _LETS_SEND), does_not=rest)


PROMISES: Mapping[ChoiceCode, Promise] = {
    ChoiceCode.LOOK_UP: Promise(
        url_name="operations:lookup",
        does=("Asks the receiver for this key, as soon as no sender may act any more.",),
        does_not=(_NO_SEND, "“Not found” and “could not ask” change no state."),
        button="Look up now",
        weight=PRIMARY,
    ),
    ChoiceCode.ATTEST: Promise(
        url_name="operations:attestation",
        does=(
            "Compares what you enter with what was to be done, field by field.",
            "A match is proposed to a second person; a difference is kept as evidence and shown.",
        ),
        does_not=(_NO_SEND, "Confirms nothing that differs, whoever insists."),
        button="Enter this receipt",
        weight=PRIMARY,
    ),
    ChoiceCode.NOT_EXECUTED: Promise(
        url_name="operations:finding",
        does=("Settles the operation: nothing happened, and nothing will under this key.",),
        does_not=(_NO_SEND, "A late receipt still opens a review; it is never lost."),
        button="Record as not executed",
    ),
    ChoiceCode.RELEASE: Promise(
        url_name="operations:release",
        does=(
            "Opens the next generation: exactly one more send of the same bytes, same key.",
            "It is judged again when it is marked; if something came in, it is not sent.",
        ),
        does_not=("Does not undo the first send: if that arrives late, the key must stop it.",),
        button="Release for one more send",
        weight=DANGER,
    ),
    ChoiceCode.SUPERSEDE: Promise(
        url_name="operations:supersession",
        does=("Registers a new operation in place of this one; it waits for approval.",),
        does_not=("Sends nothing before people agree.", "Leaves this operation as it is."),
        button="Register the new operation",
    ),
    ChoiceCode.COMPENSATE: Promise(
        url_name="operations:compensation",
        does=("Registers a new operation that makes up for this one; it waits for approval.",),
        does_not=("Sends nothing before people agree.", "Does not undo this one."),
        button="Register the new operation",
    ),
    ChoiceCode.CANCEL: Promise(
        url_name="operations:cancellation",
        does=("Withdraws the request for good; its key stays used.",),
        does_not=("Nothing was sent, and nothing will be.",),
        button="Cancel this operation",
        weight=DANGER,
    ),
    ChoiceCode.TAKE: Promise(
        url_name="operations:case",
        does=("Shows the others that you decide this one; only you can until the lease is over.",),
        does_not=("Holds back no evidence: a receipt settles it all the same.",),
        button="Take the case",
        shortcut="c",
    ),
    ChoiceCode.HAND_BACK: Promise(
        url_name="operations:hand_back",
        does=("Frees the case for the others at once.",),
        does_not=("Changes nothing else.",),
        button="Hand the case back",
    ),
    ChoiceCode.SET_ASIDE: Promise(
        url_name="operations:explanation",
        does=("Records what the evidence is; from then on it closes no choice.",),
        does_not=("Removes nothing: the evidence stays as it came.", _NO_SEND),
        button="Set it aside",
    ),
    ChoiceCode.CLOSE_ATTEMPT: Promise(
        url_name="operations:closure",
        does=("Records that you made sure: the sending process is gone.",),
        does_not=("Counts only once two people recorded it.", _NO_SEND),
        button="Record that it is gone",
        ability=Ability.SECOND,
    ),
    ChoiceCode.SETTLE_REVIEW: Promise(
        url_name="operations:review",
        does=("Closes the review with your finding and its reason.",),
        does_not=(_NO_SEND,),
        button="Settle the review",
        weight=PRIMARY,
    ),
    ChoiceCode.NOTE: Promise(
        url_name="operations:note",
        does=("Adds a note for the others.",),
        does_not=("Changes nothing else.",),
        button="Add note",
        ability=Ability.NOTE,
        shortcut="n",
    ),
}
