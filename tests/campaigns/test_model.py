"""The protocol's model in short: the rules hold, and each broken one has its counterexample."""

from collections.abc import Iterator

import pytest

from operations.protocol import release, transitions
from operations.protocol.states import State
from operations.protocol.transitions import Event, IllegalTransition
from tests.campaigns.model.broken import BROKEN, OF_OUR_OWN, OF_THE_TABLE
from tests.campaigns.model.correct import CORRECT, KEYLESS, LIMITS, SAFE
from tests.campaigns.model.explore import Found, explore
from tests.campaigns.model.judging import forget_judgements
from tests.campaigns.model.promises import Promise
from tests.campaigns.model.state import Act
from tests.campaigns.model.switches import RULES
from tests.campaigns.model.variant import Variant
from tests.campaigns.model.variants import SMALL, VARIANTS, explore_variant


def name(variant: Variant) -> str:
    return variant.name


def found(name: str, *, most_workers: int = 2) -> Found:
    """What comes of the variant with this name."""
    variant = next(variant for variant in VARIANTS if variant.name == name)
    return explore_variant(variant, most_workers=most_workers).found


@pytest.fixture(name="asks_anew")
def asks_anew_fixture() -> Iterator[None]:
    """The model asks the product again, before and after the test changed it."""
    forget_judgements()
    yield
    forget_judgements()


@pytest.mark.parametrize("variant", [each for each in CORRECT if each in SMALL], ids=name)
def test_the_rules_hold_with(variant: Variant) -> None:
    explored = explore_variant(variant, most_workers=1)
    assert explored.mistake == ""
    assert explored.found.is_whole


@pytest.mark.parametrize("variant", SAFE[:1], ids=name)
def test_stricter_rules_hold_too(variant: Variant) -> None:
    assert explore_variant(variant, most_workers=1).mistake == ""


@pytest.mark.parametrize("variant", BROKEN, ids=name)
def test_a_counterexample_is_found_for(variant: Variant) -> None:
    explored = explore_variant(variant, most_workers=1)
    assert explored.mistake == ""
    assert explored.found.broken is variant.breaks
    assert explored.found.trace


@pytest.mark.parametrize("variant", LIMITS, ids=name)
def test_no_rule_of_ours_helps_against(variant: Variant) -> None:
    assert explore_variant(variant, most_workers=1).mistake == ""


def test_every_broken_variant_of_the_table_and_more_are_among_them() -> None:
    assert {variant.name[0] for variant in OF_THE_TABLE} == set("ABCEFHI")
    assert len(OF_OUR_OWN) >= 19


def test_no_two_variants_have_the_same_name() -> None:
    assert len({variant.name for variant in VARIANTS}) == len(VARIANTS)


def test_each_broken_variant_differs_from_the_rules() -> None:
    assert all(variant.rules != RULES for variant in BROKEN)


def test_two_workers_pass_an_unfenced_mark_one_after_the_other() -> None:
    trace = found("C: the mark is not fenced").trace
    assert [step.act for step in trace].count(Act.MARK) == 2
    assert all(step.generation == 1 for step in trace if step.act is Act.SEND)


def test_the_operators_retry_meets_a_request_that_is_still_under_way() -> None:
    acts = [step.act for step in found('E: the operator says "not sent", at will').trace]
    assert acts.count(Act.ARRIVES) == 2
    assert Act.RELEASE in acts


def test_looking_again_before_the_call_makes_the_counterexample_no_longer() -> None:
    retried = found('E: the operator says "not sent", at will', most_workers=1)
    looked = found("F: E, and the token is looked at again before the call", most_workers=1)
    assert len(looked.trace) == len(retried.trace)


def test_a_counterexample_reads_as_steps() -> None:
    steps = [step.sentence() for step in found("marked under a lease that is over").trace]
    assert steps == [
        "worker 1 claims the operation",
        "the lease ends",
        "worker 1 marks: sent_unknown is on disk",
    ]


def test_a_search_stops_at_the_first_violation_of_any_promise() -> None:
    broken = next(v for v in BROKEN if v.breaks is Promise.OTHERS)
    assert explore(broken.world, broken.rules).broken is Promise.OTHERS


def test_the_transition_table_is_the_products_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(transitions.TRANSITIONS, (State.READY, Event.MARK))
    with pytest.raises(IllegalTransition):
        explore(KEYLESS, RULES)


@pytest.mark.usefixtures("asks_anew")
def test_the_rules_of_release_are_the_products_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "_open_attempt", lambda *_: ())
    assert explore(KEYLESS, RULES, sought=Promise.ONE_EFFECT).broken is Promise.ONE_EFFECT
