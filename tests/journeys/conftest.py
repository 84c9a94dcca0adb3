"""One real console for all journeys."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.world import World


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys start servers and wait for quarantines of half a minute."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.servers)
            item.add_marker(pytest.mark.timeout(240))


@pytest.fixture(scope="package")
def world() -> Iterator[World]:
    """Started once, ended with the last journey; every journey has keys of its own."""
    with tempfile.TemporaryDirectory(prefix="opsconsole-journeys-") as folder:
        world = World(Path(folder) / "data")
        try:
            world.start()
            yield world
        finally:
            world.stop()
