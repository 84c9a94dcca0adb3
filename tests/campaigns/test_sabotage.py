"""Every fault can still be planted: its text stands once in the product as it is now."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.campaigns.catalogue import MODULES
from tests.campaigns.harness.flows import FLOWS
from tests.campaigns.interleavings.meetings import meetings
from tests.campaigns.pauses.clocks import CLOCKS, clock_name
from tests.campaigns.sabotage.faults import FAULTS, TESTS, Fault
from tests.campaigns.stateful.chosen import named
from tests.campaigns.windows.windows import WINDOWS

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_one_place(fault: Fault) -> None:
    for path, old, _ in fault.edits:
        assert (PROJECT / path).read_text().count(old) == 1


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 25


# What a finder can be narrowed to.
POINTS: dict[str, Callable[[], Iterable[str]]] = {
    "windows": lambda: (window.code for window in WINDOWS),
    "interleavings": lambda: map(str, meetings()),
    "stateful": lambda: named(""),
    "pauses": lambda: map(str, FLOWS),
    "clocks": lambda: map(clock_name, CLOCKS),
}


@pytest.mark.parametrize("name", POINTS)
def test_what_a_finder_is_narrowed_to_is_there(name: str) -> None:
    points = list(POINTS[name]())
    for fault in FAULTS:
        if fault.campaign == name:
            assert any(fault.focus in point for point in points), fault.focus


def test_every_finder_is_a_campaign_or_a_file_of_tests() -> None:
    packages = {module.split(".")[0] for module in MODULES}
    finders = {fault.campaign for fault in FAULTS} - {TESTS}
    assert {"windows", "interleavings", "pauses"} <= packages
    assert finders <= POINTS.keys()
    for fault in FAULTS:
        assert fault.campaign != TESTS or (PROJECT / fault.focus).exists()
