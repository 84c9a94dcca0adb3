"""How the suite spreads over processes: whole files, the long ones first, whatever they print."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.spreading import (
    LONGEST_FIRST,
    PROCESSES,
    TOGETHER,
    longest_first,
    sendable,
    unit_of,
)

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("unit", [*LONGEST_FIRST, *TOGETHER])
def test_what_is_named_is_there(unit):
    assert (ROOT / unit).exists()
    assert unit_of(f"{unit}{'test_any.py' if unit.endswith('/') else ''}::test_x") == unit


def test_journeys_share_a_console_and_other_files_share_nothing():
    assert unit_of("tests/journeys/test_people.py::test_x[a::b]") == "tests/journeys/"
    assert unit_of("tests/operations/test_admin.py::Admin::test_x") == (
        "tests/operations/test_admin.py"
    )


def test_long_units_come_first_and_the_rest_stays_in_its_order():
    rest = ["tests/z.py::test_2", "tests/a.py::test_1", "tests/z.py::test_1"]
    long = [f"{unit}::test_x" for unit in reversed(LONGEST_FIRST)]
    items = [SimpleNamespace(nodeid=nodeid) for nodeid in [*rest, *long]]
    longest_first(items)
    assert [item.nodeid for item in items] == [*reversed(long), *rest]


@pytest.mark.parametrize(
    ("arguments", "processes"),
    [
        (["tests"], PROCESSES),
        (["tests/operations"], 0),
        (["tests", "tests/operations"], 0),
        (["tests/test_spreading.py::test_what_is_named_is_there"], 0),
    ],
)
def test_only_the_whole_suite_is_spread(pytestconfig, arguments, processes):
    given = SimpleNamespace(args=arguments, getini=pytestconfig.getini)
    ask = pytestconfig.hook.pytest_xdist_auto_num_workers
    assert ask(config=given) == processes


def test_what_a_test_printed_can_be_sent():
    told = {"sections": [("out", "a\udcff")], "when": "call", "duration": 0.5, "\ud800": None}
    assert sendable(told) == {
        "sections": [("out", "a\\udcff")],
        "when": "call",
        "duration": 0.5,
        "\\ud800": None,
    }
