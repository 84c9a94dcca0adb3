"""The catalogue of drills: each window once, and what its counts have to be."""

from reconciliation.protocol.drills import BY_NAME, CONSOLE, DRILLS, counts_fault

SIX_WINDOWS = [
    "Before the mark",
    "After the mark, before the call",
    "After the receiver committed, before its response",
    "After the response, before the report",
    "After confirmation",
    "While approval is pending",
]


def test_the_windows_of_the_design_come_first_in_its_order():
    assert [drill.title for drill in DRILLS[:6]] == SIX_WINDOWS
    windows = [drill for drill in DRILLS[6:11] if drill.sender == CONSOLE]
    assert len(windows) == 5
    assert len(BY_NAME) == len(DRILLS)


def test_no_drill_may_end_with_two_requests_or_two_effects():
    assert {(drill.requests, drill.effects) for drill in DRILLS} == {(0, 0), (1, 1)}


def test_counts_that_agree_are_no_fault():
    drill = BY_NAME["lost_message"]
    assert counts_fault(drill, kills=1, requests=1, effects=1) is None


def test_counts_that_differ_are_told_as_expected_and_got():
    drill = BY_NAME["two_claimants"]
    assert counts_fault(drill, kills=0, requests=2, effects=1) == (
        "Expected 0 kills, 1 request, 1 effect, got 0 kills, 2 requests, 1 effect."
    )


def test_what_nobody_could_count_is_not_zero():
    drill = BY_NAME["agent_before_call"]
    assert counts_fault(drill, kills=1, requests=None, effects=None) == (
        "Expected 1 kill, 0 requests, 0 effects, got 1 kill, unknown requests, unknown effects."
    )
