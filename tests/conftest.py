"""What every test may ask for: the database as the run-time role, other connections, no network."""

import socket
from collections.abc import Callable, Generator, Iterator
from typing import Any

import psycopg
import pytest
from pytest_django import DjangoDbBlocker
from xdist.scheduler import Scheduling

from tests import spreading

# Markers that .ci/run looks for in the report: none of these tests may be skipped there.
REPORTED_MARKERS = ("browser", "race", "pooler", "campaigns")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes for the whole suite; none for a part of it, which so starts at once."""
    return spreading.PROCESSES if spreading.is_whole_suite(config) else 0


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Keep the tests of one file in one process, and begin with the long ones."""
    return spreading.ByUnit(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, dict[str, Any], dict[str, Any]]:
    """Let a report leave its process whatever the test printed."""
    return spreading.sendable((yield))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long units first, and write the markers that CI asks about into the JUnit report."""
    spreading.longest_first(items)
    for item in items:
        for marker in REPORTED_MARKERS:
            if item.get_closest_marker(marker):
                item.user_properties.append(("marker", marker))


@pytest.fixture(scope="session")
def postgres_record(django_db_blocker: DjangoDbBlocker) -> Iterator[object]:
    """The passwords and addresses of this run's own PostgreSQL, migrated and granted."""
    from django.conf import settings

    from tests import database

    with django_db_blocker.unblock(), database.migrated_server(settings.OPSCONSOLE_DATA) as record:
        database.empty_after_committing_tests(record)
        yield record


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, postgres_record: object) -> None:
    """Replace pytest-django's: the server is ours alone, so no second database is made."""


@pytest.fixture
def connect_as(
    postgres_record: object,
) -> Iterator[Callable[[str], psycopg.Connection]]:
    """Open more connections, as `runtime`, `owner` or `superuser`; closed at the end."""
    from opsconsole.embedded.record import DATABASE, ServersRecord

    assert isinstance(postgres_record, ServersRecord)
    urls = {
        "runtime": postgres_record.database_url,
        "owner": postgres_record.owner_url,
        "superuser": postgres_record.superuser_url(DATABASE),
    }
    opened: list[psycopg.Connection] = []

    def connect(role: str) -> psycopg.Connection:
        opened.append(psycopg.connect(urls[role]))
        return opened[-1]

    yield connect
    for each in opened:
        each.close()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium that starts, for playwright's `executable_path`; else a skip."""
    from tests.chromium import find

    return find() or pytest.skip("no Chromium starts here; `make test` says what to install")


@pytest.fixture(autouse=True, scope="session")
def closed_network() -> Iterator[None]:
    """Refuse every connection that would leave this machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        if self.family != socket.AF_UNIX and address[0] not in LOOPBACK:  # type: ignore[index]
            raise AssertionError(f"a test tried to reach {address}; only loopback is open")
        real(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield
