"""A database that was away for a while and is back: web finds out within seconds."""

import os
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg import OperationalError
from psycopg_pool import ConnectionPool, PoolTimeout

from opsconsole import settings as product
from opsconsole.embedded.services import Services

# By then the pauses of a pool with the library's own settings are longer than what is allowed.
AWAY_SECONDS = 9
BACK_WITHIN_SECONDS = 4


@pytest.mark.servers
def test_the_pool_finds_a_database_that_is_back_soon():
    with tempfile.TemporaryDirectory(prefix="opsconsole-back-") as folder:
        os.chmod(folder, 0o711)
        services = Services.start(Path(folder) / "data", is_durable=False, with_broker=False)
        url = services.record.database_url
        with ConnectionPool(url, max_size=4, open=True, **product.POOL_OPTIONS) as pool:
            answers(pool)
            services.postgres.send_signal(signal.SIGQUIT)
            services.postgres.wait()
            ask_in_vain(pool, AWAY_SECONDS)
            services.postgres = services.launch_postgres()
            services.cluster.wait_until_ready(services.postgres, services.record)
            began = time.monotonic()
            while True:
                with suppress(OperationalError, PoolTimeout):
                    answers(pool)
                    break
            assert time.monotonic() - began < BACK_WITHIN_SECONDS
        services.stop()


def answers(pool: ConnectionPool) -> None:
    with pool.connection(timeout=0.5) as connection:
        connection.execute("SELECT 1")


def ask_in_vain(pool: ConnectionPool, seconds: float) -> None:
    """As web does while requests come: the first ones find the dead connections."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with pytest.raises((OperationalError, PoolTimeout)):
            answers(pool)
        time.sleep(0.1)
