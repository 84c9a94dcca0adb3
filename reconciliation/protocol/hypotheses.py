"""How two effects may have come about: what speaks for and against each, none asserted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from operations.protocol.states import AttemptOutcome
from operations.protocol.words import at_text
from reconciliation.protocol.certification import Finding, Probe
from reconciliation.protocol.effects import (
    Scene,
    absent_between,
    claims_keys,
    dated,
    last_left_at,
    may_belong,
    window_ends_at,
)


class Cause(StrEnum):
    """The ways that are known from the field, in the order in which they are told."""

    INEFFECTIVE_CLAIM = "ineffective_claim"
    NEW_KEY = "new_key"
    WINDOW_OVER = "window_over"
    KEYS_IGNORED = "keys_ignored"
    LATE_EFFECT = "late_effect"
    REPEATED_REQUEST = "repeated_request"
    ANOTHER_ACTOR = "another_actor"
    TOLD_TWICE = "told_twice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One way it may have been. `tells` is what would settle it, and who can say so."""

    cause: Cause
    sentence: str
    speaks_for: tuple[str, ...]
    speaks_against: tuple[str, ...]
    tells: str


type Telling = Callable[[Scene], Iterator[str]]

ONE_SEND = "One attempt is on record, and the database takes one mark for each generation."
NO_SEND = "No attempt is on record: nothing left from here under this key."


def hypotheses(scene: Scene) -> list[Hypothesis]:
    """All of them, always in the same order: how much speaks for one ranks nothing."""
    return [
        Hypothesis(
            cause=cause,
            sentence=sentence,
            speaks_for=tuple(speaks_for(scene)),
            speaks_against=tuple(speaks_against(scene)),
            tells=tells,
        )
        for cause, (sentence, speaks_for, speaks_against, tells) in _CAUSES.items()
    ]


def _overlapping(scene: Scene) -> Iterator[str]:
    for earlier, later in pairwise(scene.sends):
        until = last_left_at(earlier, scene.profile)
        if later.marked_at <= until:
            yield (
                f"Attempt {later.generation} was marked at {at_text(later.marked_at)}, while "
                f"attempt {earlier.generation} could still be sent, until {at_text(until)}."
            )
    for token in scene.late_tokens:
        yield f"Token {token} reported after it was not the current one any more."


def _apart(scene: Scene) -> Iterator[str]:
    yield from _no_second_send(scene)
    for earlier, later in pairwise(scene.sends):
        until = last_left_at(earlier, scene.profile)
        if later.marked_at > until:
            yield (
                f"Attempt {earlier.generation} could be sent until {at_text(until)}, and attempt "
                f"{later.generation} was marked after that, at {at_text(later.marked_at)}."
            )


def _new_keys(scene: Scene) -> Iterator[str]:
    keys = {send.idempotency_key for send in scene.sends}
    if len(keys) > 1:
        yield f"The attempts carry {len(keys)} different idempotency keys."


def _same_keys(scene: Scene) -> Iterator[str]:
    yield from _no_second_send(scene)
    keys = {send.idempotency_key for send in scene.sends}
    if len(scene.sends) > 1 and len(keys) == 1:
        yield f"Every attempt was given the same key, {keys.pop()}."
    digests = {send.request_digest for send in scene.sends}
    if scene.is_console and len(digests) == 1 and len(scene.sends) > 1:
        yield "The console had the same stored bytes to send each time: one request digest."


def _window_over(scene: Scene) -> Iterator[str]:
    ends_at = window_ends_at(scene)
    if ends_at is not None:
        for send in scene.sends:
            if last_left_at(send, scene.profile) > ends_at:
                yield (
                    f"Attempt {send.generation} could leave until "
                    f"{at_text(last_left_at(send, scene.profile))}, and the key is claimed to be "
                    f"kept until {at_text(ends_at)}."
                )
        for effect in scene.effects:
            if effect.occurred_at is not None and effect.occurred_at > ends_at:
                yield (
                    f"Effect {effect.effect_id} happened at {at_text(effect.occurred_at)}, after "
                    f"{at_text(ends_at)}, until when the key is claimed to be kept."
                )
    yield from _probed(scene, Probe.FORGOTTEN_KEY, Finding.DIFFERS)


def _within_window(scene: Scene) -> Iterator[str]:
    ends_at = window_ends_at(scene)
    if not claims_keys(scene.profile):
        yield f"{scene.profile.receiver} claims no keys, so there is no window to be over."
    elif ends_at is not None and all(
        last_left_at(send, scene.profile) <= ends_at for send in scene.sends
    ):
        yield (
            f"No attempt could leave after {at_text(ends_at)}, until when the key is claimed to be "
            "kept."
        )
    yield from _probed(scene, Probe.FORGOTTEN_KEY, Finding.AGREES)


def _keys_ignored(scene: Scene) -> Iterator[str]:
    if not claims_keys(scene.profile):
        yield f"{scene.profile.receiver} claims no deduplication: each request may be an effect."
    yield from _probed(scene, Probe.SAME_KEY, Finding.DIFFERS)


def _keys_heeded(scene: Scene) -> Iterator[str]:
    if claims_keys(scene.profile):
        yield f"{scene.profile.receiver}’s profile claims one effect for each key."
        yield from _probed(scene, Probe.SAME_KEY, Finding.AGREES)


def _late_effect(scene: Scene) -> Iterator[str]:
    for send in scene.sends[:-1]:
        if send.outcome in (None, AttemptOutcome.UNKNOWN, AttemptOutcome.RECEIPT):
            yield f"Attempt {send.generation} {_ENDINGS[send.outcome]}."
    older = {send.generation for send in scene.sends[:-1]}
    for effect in scene.effects:
        if effect.occurred_at is not None and older & set(may_belong(effect, scene)):
            yield f"By its time, effect {effect.effect_id} can be an older attempt’s."


def _no_late_effect(scene: Scene) -> Iterator[str]:
    yield from _no_second_send(scene)
    for send in scene.sends[:-1]:
        if send.outcome in (AttemptOutcome.NOT_SENT, AttemptOutcome.REFUSED):
            yield f"Attempt {send.generation} {_ENDINGS[send.outcome]}."
    for earlier, later in pairwise(scene.sends):
        asked_at = absent_between(scene, earlier, later)
        if asked_at is not None:
            yield (
                f"A look-up at {at_text(asked_at)}, after the quarantine of attempt "
                f"{earlier.generation} and before the next one, found nothing."
            )


def _repeated(scene: Scene) -> Iterator[str]:
    effects, sends = len(scene.effects), len(scene.sends)
    if effects > sends:
        yield f"There are more effects than attempts: {effects} and {sends}."
    if not scene.is_console:
        yield "The agent makes the call itself; what its client or a proxy repeats is not seen."
    yield from _probed(scene, Probe.REQUESTS, Finding.DIFFERS)


def _not_repeated(scene: Scene) -> Iterator[str]:
    if scene.effects and len(scene.effects) <= len(scene.sends):
        yield "There are as many attempts as effects, or more."
    if scene.is_console:
        yield "The console’s own client repeats nothing and follows no redirect on a send."
    yield from _probed(scene, Probe.REQUESTS, Finding.AGREES)


def _another_actor(scene: Scene) -> Iterator[str]:
    for effect in scene.effects:
        if not may_belong(effect, scene):
            yield f"Effect {effect.effect_id} fits no attempt by its time."
        if effect.has_same_payload is False:
            yield f"Effect {effect.effect_id} has another payload than this operation."
        if effect.confirmed_key:
            yield f"Effect {effect.effect_id} confirmed {effect.confirmed_key}, not this operation."


def _no_other_actor(scene: Scene) -> Iterator[str]:
    if not scene.effects:
        return
    if all(may_belong(effect, scene) for effect in scene.effects):
        yield "Every effect fits an attempt by its time."
    if all(effect.has_same_payload for effect in scene.effects):
        yield "Every effect has this operation’s payload, as far as it was compared, and its key."


def _told_twice(scene: Scene) -> Iterator[str]:
    for one, other in pairwise(dated(scene)):
        if one.occurred_at == other.occurred_at:
            yield f"{one.effect_id} and {other.effect_id} happened at the very same instant."
    if len(scene.sends) == 1 and len(scene.effects) > 1:
        yield "One attempt is on record, and one request has one effect by rights."


def _told_apart(scene: Scene) -> Iterator[str]:
    for one, other in pairwise(dated(scene)):
        if one.occurred_at != other.occurred_at:
            yield f"{one.effect_id} and {other.effect_id} happened at different times."


_CAUSES: dict[Cause, tuple[str, Telling, Telling, str]] = {
    Cause.INEFFECTIVE_CLAIM: (
        "Two senders acted at the same time; the claim did not hold one of them back.",
        _overlapping,
        _apart,
        "The senders’ own logs: which process made a call, and when.",
    ),
    Cause.NEW_KEY: (
        "A repeated request went out under another idempotency key.",
        _new_keys,
        _same_keys,
        "The receiver’s log of the two requests: the key that each of them carried.",
    ),
    Cause.WINDOW_OVER: (
        "The receiver had forgotten the key when the later request came.",
        _window_over,
        _within_window,
        "How long the receiver really keeps a key: ask it, or certify it with a rest in between.",
    ),
    Cause.KEYS_IGNORED: (
        "The receiver does not deduplicate by this key at all.",
        _keys_ignored,
        _keys_heeded,
        "A certification of its sandbox account: the same key twice, and the effects counted.",
    ),
    Cause.LATE_EFFECT: (
        "An older attempt had its effect after one more send was allowed.",
        _late_effect,
        _no_late_effect,
        "When the receiver took in the first request, by its own log.",
    ),
    Cause.REPEATED_REQUEST: (
        "One request arrived twice: a client, a proxy or a queue on the way repeated it.",
        _repeated,
        _not_repeated,
        "The receiver’s count of requests beside the attempts on record here.",
    ),
    Cause.ANOTHER_ACTOR: (
        "Somebody else ordered under this key: a portal, a telephone, another system.",
        _another_actor,
        _no_other_actor,
        "Who placed each order, by the receiver’s record: account, user, address.",
    ),
    Cause.TOLD_TWICE: (
        "It is one effect, to which the receiver gave two numbers.",
        _told_twice,
        _told_apart,
        "Both numbers in the receiver’s own record: do they show one thing or two?",
    ),
}

_ENDINGS = {
    None: "never had an end: its sender did not say what became of it",
    AttemptOutcome.UNKNOWN: "ended unknown: its sender does not know the outcome",
    AttemptOutcome.RECEIPT: "brought a receipt",
    AttemptOutcome.NOT_SENT: "ended not sent, by its sender’s word",
    AttemptOutcome.REFUSED: "ended refused, by its sender’s word",
}


def _no_second_send(scene: Scene) -> Iterator[str]:
    if len(scene.sends) < 2:
        yield ONE_SEND if scene.sends else NO_SEND


def _probed(scene: Scene, probe: Probe, finding: Finding) -> Iterator[str]:
    seen = scene.seen(probe)
    if seen is not None and seen.finding is finding and scene.probed_at is not None:
        yield f"The certification of {at_text(scene.probed_at)} observed {seen.observed}."
