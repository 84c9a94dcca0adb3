"""Which attempt an effect can belong to, by time alone."""

from dataclasses import replace

import pytest

from reconciliation.protocol.certification import Finding, Probe
from reconciliation.protocol.effects import (
    Probed,
    absent_between,
    claims_keys,
    dated,
    last_left_at,
    may_belong,
    window_ends_at,
)
from tests.reconciliation.protocol.scene import KEYED, KEYLESS, a_scene, a_send, an_effect, at


@pytest.mark.parametrize(
    ("occurred", "belongs"),
    [
        (-5.001, ()),
        (-5, (1,)),
        (0, (1,)),
        # Sent until 10, in effect until 25, and the clocks 5 s apart.
        (30, (1,)),
        (30.001, ()),
        (94.999, ()),
        (95, (2,)),
        (130, (2,)),
        (131, ()),
    ],
)
def test_an_instant_of_the_receiver_lies_between_a_mark_and_its_last_moment(occurred, belongs):
    scene = a_scene(a_send(), a_send(2, marked=100))
    assert may_belong(an_effect(occurred=occurred), scene) == belongs


def test_attempts_that_overlap_may_both_have_had_it():
    scene = a_scene(a_send(), a_send(2, marked=8))
    assert may_belong(an_effect(occurred=12), scene) == (1, 2)


@pytest.mark.parametrize(("told", "belongs"), [(-1, ()), (0, (1,)), (99, (1,)), (100, (1, 2))])
def test_without_an_instant_it_happened_before_it_was_told(told, belongs):
    scene = a_scene(a_send(), a_send(2, marked=100))
    assert may_belong(an_effect(told=told), scene) == belongs


def test_without_keys_a_late_end_is_the_last_call():
    send = a_send(closed_at=at(40))
    assert last_left_at(send, KEYED) == at(10)
    assert last_left_at(send, KEYLESS) == at(40)
    effect = an_effect(occurred=55)
    assert may_belong(effect, a_scene(send)) == ()
    assert may_belong(effect, a_scene(send, profile=KEYLESS)) == (1,)


def test_the_window_begins_with_the_first_mark():
    assert window_ends_at(a_scene(a_send(), a_send(2, marked=100))) == at(3600)
    assert window_ends_at(a_scene()) is None
    assert window_ends_at(a_scene(a_send(), profile=KEYLESS)) is None


@pytest.mark.parametrize(
    ("profile", "claims"),
    [
        (KEYED, True),
        (KEYLESS, False),
        (replace(KEYED, dedup_window_seconds=None), False),
        (replace(KEYED, deduplicates=False), False),
    ],
)
def test_keys_are_claimed_with_a_window_or_not_at_all(profile, claims):
    assert claims_keys(profile) is claims
    assert (window_ends_at(a_scene(a_send(), profile=profile)) is not None) is claims


@pytest.mark.parametrize(
    ("asked", "counts"), [((29.999,), None), ((30,), 30), ((30, 50), 50), ((100,), None)]
)
def test_an_absence_counts_from_the_quarantine_to_the_next_mark(asked, counts):
    earlier, later = a_send(), a_send(2, marked=100)
    scene = a_scene(earlier, later, absent_at=tuple(at(seconds) for seconds in asked))
    assert absent_between(scene, earlier, later) == (None if counts is None else at(counts))


def test_effects_are_ordered_by_the_receivers_instants():
    one, other, undated = an_effect("a", occurred=9), an_effect("b", occurred=3), an_effect("c")
    assert dated(a_scene(effects=(one, other, undated))) == [other, one]


def test_what_was_not_probed_was_not_seen():
    agreed = Probed(Finding.AGREES, "1 effect, sent twice")
    skipped = Probed(Finding.NOT_PROBED, "no effect could be counted")
    scene = a_scene(probed=((Probe.SAME_KEY, agreed), (Probe.REQUESTS, skipped)))
    assert scene.seen(Probe.SAME_KEY) == agreed
    assert scene.seen(Probe.REQUESTS) is None
    assert scene.seen(Probe.LAG) is None
