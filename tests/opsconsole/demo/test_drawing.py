"""Which errands the demo's agents are sent out for."""

from collections import Counter
from itertools import islice

from opsconsole.demo.agents.drawing import HIDDEN, OPENING, Drawing
from opsconsole.demo.agents.errand import Errand, Window
from reconciliation.sandbox.faults import Fault


def many(count: int, seed: str = "a") -> list[Errand]:
    drawing = Drawing(seed=seed, first_number=100)
    return list(islice(iter(drawing.next, None), count))


def test_the_first_ones_show_every_crash_window_and_one_that_a_person_has_to_settle():
    opening = many(len(OPENING))
    assert {errand.dies for errand in opening} == {None, *Window}
    assert opening[0].faults.keys() >= HIDDEN.keys()
    assert opening[0].dies is Window.BEFORE_ANSWER


def test_later_ones_come_from_both_agents_for_both_executors_with_faults_of_the_sandbox():
    later = many(600)[len(OPENING) :]
    assert {errand.dies for errand in later} == {None, *Window}
    assert {errand.agent for errand in later} == {"agent-1", "agent-2"}
    assert {errand.executor for errand in later} == {"agent", "console"}
    assert {errand.environment for errand in later} == {"production", "staging"}
    armed = Counter(name for errand in later for name in errand.faults)
    assert armed.keys() <= set(Fault)
    assert len(armed) >= 12
    assert all(errand.executor == "agent" for errand in later if errand.dies)


def test_some_refunds_are_large_enough_to_need_a_yes():
    amounts = [
        float(errand.payload["amount"]) for errand in many(200) if errand.kind == "payment.refund"
    ]
    assert [amount for amount in amounts if amount >= 100]
    assert [amount for amount in amounts if amount >= 1000]


def test_what_goes_well_has_no_fault_and_needs_nobody():
    drawing = Drawing(seed="b", first_number=1)
    for _ in range(200):
        errand = drawing.next(goes_well=True)
        assert (errand.dies, errand.faults) == (None, {})
        assert float(errand.payload.get("amount", "0")) < 100


def test_no_two_errands_have_one_key():
    keys = [errand.key for errand in many(500)]
    assert len(set(keys)) == 500


def test_an_errand_survives_the_way_to_its_process():
    for errand in many(30):
        assert Errand.read(errand.as_argument()) == errand
