"""A database that takes questions and answers none is given up."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from opsconsole import settings as product
from opsconsole.embedded.record import ServersRecord
from opsconsole.patience import PatientConnection

PATIENCE_SECONDS = 0.5


class Impatient(PatientConnection):
    answers_within_seconds = PATIENCE_SECONDS


@contextmanager
def standing_still(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_server_that_stands_still_is_given_up(postgres_record: ServersRecord):
    with Impatient.connect(postgres_record.database_url, autocommit=True) as connection:
        began = time.monotonic()
        with (
            standing_still(connection.info.backend_pid),
            pytest.raises(psycopg.OperationalError, match=r"expected an answer .* got none"),
        ):
            connection.execute("SELECT 1")
        assert time.monotonic() - began < 20 * PATIENCE_SECONDS
        assert connection.closed


def test_a_commit_too(postgres_record: ServersRecord):
    with Impatient.connect(postgres_record.database_url) as connection:
        connection.execute("SELECT 1")
        with (
            standing_still(connection.info.backend_pid),
            pytest.raises(psycopg.OperationalError, match="got none"),
        ):
            connection.commit()


def test_what_the_server_itself_refuses_is_told_as_it_is(postgres_record: ServersRecord):
    with Impatient.connect(postgres_record.database_url, autocommit=True) as connection:
        connection.execute("SET statement_timeout = '100ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT pg_sleep(10)")
        assert not connection.closed


def test_the_pool_replaces_a_connection_that_was_given_up(postgres_record: ServersRecord):
    options = {**product.POOL_OPTIONS, "connection_class": Impatient}
    with ConnectionPool(postgres_record.database_url, max_size=2, open=True, **options) as pool:
        with pool.connection() as connection:
            first = connection.info.backend_pid
            with standing_still(first), pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pool.connection() as connection:
            assert connection.info.backend_pid != first
            assert connection.execute("SELECT 1").fetchone() == (1,)
