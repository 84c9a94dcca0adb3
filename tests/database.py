"""The PostgreSQL of a test run: a server of its own, used as the run-time role."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase
from psycopg import sql

from opsconsole.databases import connection_settings
from opsconsole.embedded.record import DATABASE, RUNTIME, ServersRecord
from opsconsole.embedded.services import Services

# What migrations filled, and a test that commits must therefore leave alone.
KEPT_TABLES = (
    "django_migrations",
    "django_content_type",
    "auth_permission",
    "auth_group",
    "auth_group_permissions",
)


@contextmanager
def migrated_server(root: Path) -> Iterator[ServersRecord]:
    """Start PostgreSQL without fsync, migrate as the owner, and leave the connection run-time."""
    services = Services.start(root, is_durable=False, with_broker=False)
    try:
        _point_settings_at(services.record)
        call_command("migrate", verbosity=0)
        _act_as_runtime_role(services.record)
        yield services.record
        connection.close()
    finally:
        services.stop()


SESSION = {"lock_timeout": "2s", "statement_timeout": "20s"}


def _point_settings_at(record: ServersRecord) -> None:
    _connect_with(record.database_url, SESSION)
    settings.DATABASE_OWNER = connection_settings(
        "DATABASE_OWNER_URL", record.owner_url, session=SESSION
    )


def _act_as_runtime_role(record: ServersRecord) -> None:
    """Sign in as the superuser, with the run-time role's rights and no others.

    So every test proves the grants, and `as_superuser` can let time pass in its transaction.
    """
    connection.close()
    _connect_with(record.superuser_url(DATABASE), SESSION | {"role": RUNTIME})


def _connect_with(url: str, session: dict[str, str]) -> None:
    values = connection_settings("DATABASE_URL", url, session=session)
    connection.settings_dict.update(values | {"CONN_MAX_AGE": 0})
    settings.DATABASES["default"].update(connection.settings_dict)


@contextmanager
def as_superuser(on: Any) -> Iterator[Any]:
    """A cursor of this very connection with every right and no trigger; back to run-time after."""
    with on.cursor() as cursor:
        cursor.execute("SET ROLE NONE")
        cursor.execute("SET session_replication_role = replica")
        yield cursor
        cursor.execute("SET session_replication_role = origin")
        cursor.execute(f"SET ROLE {RUNTIME}")


def empty_tables_as_superuser(record: ServersRecord) -> None:
    """Empty the tables that tests fill. The run-time role may not, and that is the point of it.

    Row by row, and only where there are rows: TRUNCATE makes new files for every table and index,
    and then takes longer than most tests. Like TRUNCATE it waits for whoever still writes.
    """
    with psycopg.connect(record.superuser_url(DATABASE)) as superuser:
        tables = _tables_to_empty(superuser)
        superuser.execute(sql.SQL("LOCK TABLE {}").format(sql.SQL(", ").join(tables)))
        superuser.execute("SET session_replication_role = replica")  # no trigger fires, no key asks
        for table in _with_rows(superuser, tables):
            superuser.execute(sql.SQL("DELETE FROM {}").format(table))


def _tables_to_empty(superuser: psycopg.Connection) -> list[sql.Identifier]:
    found = superuser.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL(%s)",
        [list(KEPT_TABLES)],
    )
    return [sql.Identifier(name) for (name,) in found]


def _with_rows(superuser: psycopg.Connection, tables: list[sql.Identifier]) -> list[sql.Identifier]:
    asks = [sql.SQL("EXISTS (SELECT FROM {})").format(table) for table in tables]
    answers = superuser.execute(sql.SQL("SELECT {}").format(sql.SQL(", ").join(asks))).fetchone()
    return [table for table, has_rows in zip(tables, answers or (), strict=True) if has_rows]


def empty_after_committing_tests(record: ServersRecord) -> None:
    """Make tests that commit clean up through the superuser instead of Django's `flush`."""

    def teardown(case: TransactionTestCase) -> None:
        empty_tables_as_superuser(record)

    TransactionTestCase._fixture_teardown = teardown  # Django offers no other way in
