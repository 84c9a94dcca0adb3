"""The soak's schedule is the seed's alone, and leaves nothing out."""

from itertools import islice
from random import Random

import pytest

from tests.campaigns.soak.errands import SHARES, draw, kind_of, registration
from tests.campaigns.soak.schedule import KINDS, KINDS_OF_A_SLICE, rounds
from tests.campaigns.soak.strikes import Chaos


def test_the_same_seed_gives_the_same_schedule_however_much_of_it_is_used():
    first = list(islice(rounds(17, is_slice=False), 3))
    assert first[:2] == list(islice(rounds(17, is_slice=False), 2))
    assert first != list(islice(rounds(18, is_slice=False), 3))


@pytest.mark.parametrize(("is_slice", "kinds"), [(False, tuple(KINDS)), (True, KINDS_OF_A_SLICE)])
def test_every_round_has_every_kind_once(is_slice, kinds):
    for strikes in islice(rounds(17, is_slice=is_slice), 5):
        assert sorted(strike.kind for strike in strikes) == sorted(kinds)


def test_each_kind_of_fault_has_somebody_who_does_it():
    verbs = {kind.partition(" ")[0] for kind in KINDS}
    assert [verb for verb in sorted(verbs) if not hasattr(Chaos, f"_{verb}")] == []


@pytest.mark.parametrize("kind", SHARES)
def test_a_key_tells_what_is_registered_under_it(kind):
    key = f"soak-2-13-1-{kind}-40"
    assert kind_of(key) == kind
    assert registration(key) == registration(key)
    assert registration(key)["key"] == key


def test_the_same_agent_has_the_same_errands_again():
    first, again = Random("4/0-1-2"), Random("4/0-1-2")
    errands = [draw(first, "soak", number) for number in range(200)]
    assert errands == [draw(again, "soak", number) for number in range(200)]
    assert {errand.kind for errand in errands} == set(SHARES)
