"""The migrations of this app go forward, back and forward again, with their grants."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from opsconsole.embedded.record import DATABASE, OWNER, RUNTIME, ServersRecord

pytestmark = pytest.mark.servers

PROJECT = Path(__file__).resolve().parents[2]
SCRATCH = "scratch_migrations"
ADD = "SELECT has_table_privilege(%s, %s, 'INSERT') AND NOT has_table_privilege(%s, %s, 'DELETE')"


@pytest.fixture
def scratch(postgres_record: ServersRecord) -> Iterator[ServersRecord]:
    """A second database on the server of this run."""
    url = postgres_record.superuser_url(DATABASE)
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute(f"CREATE DATABASE {SCRATCH} OWNER {OWNER}")
        yield postgres_record
        superuser.execute(f"DROP DATABASE {SCRATCH} WITH (FORCE)")


def migrate(record: ServersRecord, *arguments: str) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
        "DATABASE_URL": there(record.database_url),
        "DATABASE_OWNER_URL": there(record.owner_url),
    }
    command = [sys.executable, "manage.py", "migrate", "--skip-checks", "-v0", *arguments]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def there(url: str) -> str:
    assert f"/{DATABASE}" in url
    return url.replace(f"/{DATABASE}", f"/{SCRATCH}")


def tables(record: ServersRecord) -> set[str]:
    """Those of this app to which the run-time role can add rows, and take none away."""
    found = set()
    with psycopg.connect(record.superuser_url(SCRATCH)) as superuser:
        names = superuser.execute(
            "SELECT tablename FROM pg_tables WHERE tablename LIKE 'reconciliation_%'"
        ).fetchall()
        for (name,) in names:
            [(may_add,)] = superuser.execute(ADD, [RUNTIME, name, RUNTIME, name]).fetchall()
            if may_add:
                found.add(name)
    return found


def test_they_go_both_ways(scratch):
    migrate(scratch)
    all_of_them = tables(scratch)
    assert {"reconciliation_drillrun", "reconciliation_drillresult"} < all_of_them
    migrate(scratch, "reconciliation", "0001")
    assert tables(scratch) == {"reconciliation_webhookdelivery"}
    migrate(scratch)
    assert tables(scratch) == all_of_them
