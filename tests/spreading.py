"""Which tests stay together when the suite runs in several processes, and which begin first."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# The suite's own processes wait for servers as often as they compute; two fill two cores.
PROCESSES = 2
# A folder whose files share a running console; every other file is a unit of its own.
TOGETHER = ("tests/journeys/",)
# A long unit that begins last would run alone at the end.
LONGEST_FIRST = (
    "tests/campaigns/test_slices.py",
    "tests/journeys/",
    "tests/opsconsole/embedded/test_up.py",
    "tests/reconciliation/test_workers.py",
    "tests/campaigns/test_running.py",
    "tests/reconciliation/test_queue_faults.py",
    "tests/opsconsole/test_pooler.py",
    "tests/opsconsole/demo/test_seed.py",
    "tests/reconciliation/actions/test_crash_windows.py",
    "tests/operations/concurrency/test_decision_races.py",
    "tests/operations/concurrency/test_agent_races.py",
    "tests/opsconsole/embedded/test_services.py",
    "tests/reconciliation/actions/test_cut_off.py",
)


def unit_of(nodeid: str) -> str:
    """The file, or the folder, whose tests run one after the other in one process."""
    file = nodeid.split("::", 1)[0]
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


def longest_first(items: list[pytest.Item]) -> None:
    """Move the long units to the front; everything else keeps its place, shuffled or not."""
    ranks = {unit: rank for rank, unit in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: ranks.get(unit_of(item.nodeid), len(ranks)))


def is_whole_suite(config: pytest.Config) -> bool:
    """Whether no path was given, or the suite's own."""
    return {*config.args} <= {*config.getini("testpaths")}


class ByUnit(LoadScopeScheduling):
    """Hands the next unit, in the order of the items, to the process that has little left."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def sendable(told: Any) -> Any:
    """The same, with lone surrogates spelled out: no text with them goes between processes."""
    if isinstance(told, str):
        return told.encode(errors="backslashreplace").decode()
    if isinstance(told, dict):
        return {sendable(name): sendable(value) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return type(told)(map(sendable, told))
    return told
