"""How two effects may have come about: what speaks for and against each, from the facts alone."""

import pytest

from operations.protocol.states import AttemptOutcome
from reconciliation.protocol.certification import Finding, Probe
from reconciliation.protocol.effects import Probed
from reconciliation.protocol.hypotheses import NO_SEND, ONE_SEND, Cause, hypotheses
from tests.reconciliation.protocol.scene import KEYLESS, a_scene, a_send, an_effect, at

TWO = (a_send(), a_send(2, marked=100))
PAIR = (an_effect("e-1", occurred=5), an_effect("e-2", occurred=105))


def of(cause, scene):
    return next(found for found in hypotheses(scene) if found.cause is cause)


def told(cause, scene):
    """What speaks for it and what against it."""
    found = of(cause, scene)
    return list(found.speaks_for), list(found.speaks_against)


def probed(probe, finding, observed="what was seen"):
    return {"probed": ((probe, Probed(finding, observed)),), "probed_at": at(-86_400)}


SEEN = "The certification of 2026-02-28 12:00:00 UTC observed what was seen."


@pytest.mark.parametrize("scene", [a_scene(), a_scene(*TWO, effects=PAIR, is_console=True)])
def test_all_are_listed_in_one_order_and_none_is_asserted(scene):
    found = hypotheses(scene)
    assert [each.cause for each in found] == list(Cause)
    assert all(each.sentence.endswith(".") and each.tells.endswith((".", "?")) for each in found)
    assert not any(hasattr(each, name) for each in found for name in ("likelihood", "is_true"))


def test_marks_that_overlap_speak_for_an_ineffective_claim():
    assert told(Cause.INEFFECTIVE_CLAIM, a_scene(a_send(), a_send(2, marked=10))) == (
        [
            "Attempt 2 was marked at 2026-03-01 12:00:10 UTC, while attempt 1 could still be "
            "sent, until 2026-03-01 12:00:10 UTC."
        ],
        [],
    )
    assert told(Cause.INEFFECTIVE_CLAIM, a_scene(a_send(), a_send(2, marked=11))) == (
        [],
        [
            "Attempt 1 could be sent until 2026-03-01 12:00:10 UTC, and attempt 2 was marked "
            "after that, at 2026-03-01 12:00:11 UTC."
        ],
    )


def test_a_late_report_speaks_for_it_though_one_attempt_speaks_against():
    assert told(Cause.INEFFECTIVE_CLAIM, a_scene(a_send(), late_tokens=(101,))) == (
        ["Token 101 reported after it was not the current one any more."],
        [ONE_SEND],
    )


def test_what_was_seen_on_no_known_day_is_not_told():
    seen = ((Probe.SAME_KEY, Probed(Finding.DIFFERS, "2 effects")),)
    assert told(Cause.KEYS_IGNORED, a_scene(*TWO, probed=seen))[0] == []


def test_without_an_attempt_nothing_left_from_here():
    assert ONE_SEND.startswith("One attempt is on record")
    assert NO_SEND.startswith("No attempt is on record")
    scene = a_scene(effects=(an_effect(),))
    for cause in (Cause.INEFFECTIVE_CLAIM, Cause.NEW_KEY, Cause.LATE_EFFECT):
        assert told(cause, scene) == ([], [NO_SEND])
    assert told(Cause.WINDOW_OVER, scene) == ([], [])
    assert told(Cause.TOLD_TWICE, a_scene(effects=PAIR))[0] == []


def test_keys_that_differ_speak_for_a_new_key_and_equal_ones_against():
    other = a_send(2, marked=100, idempotency_key="oc-2")
    assert told(Cause.NEW_KEY, a_scene(a_send(), other)) == (
        ["The attempts carry 2 different idempotency keys."],
        [],
    )
    assert told(Cause.NEW_KEY, a_scene(*TWO)) == (
        [],
        ["Every attempt was given the same key, oc-1."],
    )
    assert told(Cause.NEW_KEY, a_scene(a_send())) == ([], [ONE_SEND])


def test_the_consoles_own_bytes_speak_against_a_new_key():
    same = "The console had the same stored bytes to send each time: one request digest."
    assert same in told(Cause.NEW_KEY, a_scene(*TWO, is_console=True))[1]
    other = a_send(2, marked=100, request_digest="r2")
    assert same not in told(Cause.NEW_KEY, a_scene(a_send(), other, is_console=True))[1]
    assert same not in told(Cause.NEW_KEY, a_scene(a_send(), is_console=True))[1]


def test_a_request_after_the_window_speaks_for_a_forgotten_key():
    assert told(Cause.WINDOW_OVER, a_scene(a_send(), a_send(2, marked=3591))) == (
        [
            "Attempt 2 could leave until 2026-03-01 13:00:01 UTC, and the key is claimed to be "
            "kept until 2026-03-01 13:00:00 UTC."
        ],
        [],
    )
    assert told(Cause.WINDOW_OVER, a_scene(a_send(), a_send(2, marked=3590))) == (
        [],
        [
            "No attempt could leave after 2026-03-01 13:00:00 UTC, until when the key is claimed "
            "to be kept."
        ],
    )


def test_an_effect_after_the_window_speaks_for_a_forgotten_key():
    effects = (an_effect("e-1", occurred=3600), an_effect("e-2", occurred=3601), an_effect("e-3"))
    assert told(Cause.WINDOW_OVER, a_scene(a_send(), effects=effects))[0] == [
        "Effect e-2 happened at 2026-03-01 13:00:01 UTC, after 2026-03-01 13:00:00 UTC, "
        "until when the key is claimed to be kept."
    ]


def test_without_keys_there_is_no_window_and_nothing_is_ignored():
    scene = a_scene(*TWO, profile=KEYLESS)
    assert told(Cause.WINDOW_OVER, scene) == (
        [],
        ["desk claims no keys, so there is no window to be over."],
    )
    assert told(Cause.KEYS_IGNORED, scene) == (
        ["desk claims no deduplication: each request may be an effect."],
        [],
    )


@pytest.mark.parametrize(
    ("cause", "probe"),
    [
        (Cause.WINDOW_OVER, Probe.FORGOTTEN_KEY),
        (Cause.KEYS_IGNORED, Probe.SAME_KEY),
        (Cause.REPEATED_REQUEST, Probe.REQUESTS),
    ],
)
def test_a_certification_speaks_for_or_against_with_its_date(cause, probe):
    speaks_for, against = told(cause, a_scene(*TWO, **probed(probe, Finding.DIFFERS)))
    assert SEEN in speaks_for
    assert SEEN not in against
    speaks_for, against = told(cause, a_scene(*TWO, **probed(probe, Finding.AGREES)))
    assert SEEN not in speaks_for
    assert SEEN in against
    speaks_for, against = told(cause, a_scene(*TWO, **probed(probe, Finding.NOT_PROBED)))
    assert SEEN not in speaks_for + against


def test_the_claim_of_keys_speaks_against_their_being_ignored():
    assert told(Cause.KEYS_IGNORED, a_scene(*TWO)) == (
        [],
        ["shop’s profile claims one effect for each key."],
    )


def test_a_probe_of_a_receiver_without_keys_proves_no_keys():
    scene = a_scene(*TWO, profile=KEYLESS, **probed(Probe.SAME_KEY, Finding.AGREES))
    assert told(Cause.KEYS_IGNORED, scene)[1] == []


@pytest.mark.parametrize(
    ("outcome", "words", "is_for"),
    [
        (None, "never had an end: its sender did not say what became of it", True),
        (AttemptOutcome.UNKNOWN, "ended unknown: its sender does not know the outcome", True),
        (AttemptOutcome.RECEIPT, "brought a receipt", True),
        (AttemptOutcome.NOT_SENT, "ended not sent, by its sender’s word", False),
        (AttemptOutcome.REFUSED, "ended refused, by its sender’s word", False),
    ],
)
def test_how_an_older_attempt_ended_speaks_for_or_against_a_late_effect(outcome, words, is_for):
    scene = a_scene(a_send(outcome=outcome), a_send(2, marked=100))
    sentence = [f"Attempt 1 {words}."]
    assert told(Cause.LATE_EFFECT, scene) == ((sentence, []) if is_for else ([], sentence))


def test_each_attempt_but_the_last_is_an_older_one():
    sends = [
        a_send(number, marked=100 * number, outcome=outcome)
        for number, outcome in enumerate([AttemptOutcome.NOT_SENT] * 3, start=1)
    ]
    assert told(Cause.LATE_EFFECT, a_scene(*sends))[1] == [
        "Attempt 1 ended not sent, by its sender’s word.",
        "Attempt 2 ended not sent, by its sender’s word.",
    ]


def test_the_last_attempt_is_no_older_one():
    scene = a_scene(a_send(outcome=AttemptOutcome.UNKNOWN), effects=(an_effect(occurred=5),))
    assert told(Cause.LATE_EFFECT, scene) == ([], [ONE_SEND])


def test_an_effect_that_can_be_an_older_attempts_speaks_for_a_late_one():
    sends = (a_send(outcome=AttemptOutcome.NOT_SENT), a_send(2, marked=100))
    scene = a_scene(*sends, effects=(*PAIR, an_effect("e-3")))
    assert told(Cause.LATE_EFFECT, scene)[0] == [
        "By its time, effect e-1 can be an older attempt’s."
    ]


def test_an_absence_between_two_attempts_speaks_against_a_late_effect():
    sends = (a_send(outcome=AttemptOutcome.NOT_SENT), a_send(2, marked=100))
    assert told(Cause.LATE_EFFECT, a_scene(*sends, absent_at=(at(10), at(50))))[1][1:] == [
        "A look-up at 2026-03-01 12:00:50 UTC, after the quarantine of attempt 1 and before the "
        "next one, found nothing."
    ]
    assert told(Cause.LATE_EFFECT, a_scene(*sends, absent_at=(at(10),)))[1][1:] == []


def test_more_effects_than_attempts_speak_for_a_repeated_request():
    agents = "The agent makes the call itself; what its client or a proxy repeats is not seen."
    ours = "The console’s own client repeats nothing and follows no redirect on a send."
    enough = "There are as many attempts as effects, or more."
    more = "There are more effects than attempts: 2 and 1."
    cause = Cause.REPEATED_REQUEST
    assert told(cause, a_scene(a_send(), effects=PAIR)) == ([more, agents], [])
    assert told(cause, a_scene(*TWO, effects=PAIR)) == ([agents], [enough])
    assert told(cause, a_scene(a_send(), effects=PAIR, is_console=True)) == ([more], [ours])


def test_what_fits_no_attempt_speaks_for_another_actor():
    strange = an_effect("e-2", occurred=60, has_same_payload=False, confirmed_key="order-9")
    assert told(Cause.ANOTHER_ACTOR, a_scene(a_send(), effects=(PAIR[0], strange))) == (
        [
            "Effect e-2 fits no attempt by its time.",
            "Effect e-2 has another payload than this operation.",
            "Effect e-2 confirmed order-9, not this operation.",
        ],
        [],
    )


def test_what_fits_in_time_and_payload_speaks_against_another_actor():
    fits = "Every effect fits an attempt by its time."
    same = "Every effect has this operation’s payload, as far as it was compared, and its key."
    cause = Cause.ANOTHER_ACTOR
    assert told(cause, a_scene(*TWO, effects=PAIR)) == ([], [fits, same])
    unknown = an_effect("e-2", occurred=105, has_same_payload=None)
    assert told(cause, a_scene(*TWO, effects=(PAIR[0], unknown))) == ([], [fits])
    stray = an_effect("e-2", occurred=900)
    assert told(cause, a_scene(*TWO, effects=(PAIR[0], stray)))[1] == [same]


def test_one_instant_speaks_for_one_effect_with_two_numbers():
    same = (an_effect("e-1", occurred=5), an_effect("e-2", occurred=5), an_effect("e-3"))
    assert told(Cause.TOLD_TWICE, a_scene(*TWO, effects=same)) == (
        ["e-1 and e-2 happened at the very same instant."],
        [],
    )
    assert told(Cause.TOLD_TWICE, a_scene(*TWO, effects=PAIR)) == (
        [],
        ["e-1 and e-2 happened at different times."],
    )
    assert told(Cause.TOLD_TWICE, a_scene(a_send(), effects=PAIR))[0] == [
        "One attempt is on record, and one request has one effect by rights."
    ]
    assert told(Cause.TOLD_TWICE, a_scene(a_send(), effects=PAIR[:1]))[0] == []


def test_where_no_effect_is_known_nothing_is_said_of_every_effect():
    said = [
        sentence
        for each in hypotheses(a_scene(a_send()))
        for sentence in (*each.speaks_for, *each.speaks_against)
    ]
    assert said
    assert not [words for words in said if "Every effect" in words or "as many" in words]
