"""The whole console through PgBouncer in transaction mode, before the real PostgreSQL."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from operations.models import Claim, Operation
from operations.protocol.states import State
from opsconsole.embedded import processes
from opsconsole.embedded.account import servers_account
from opsconsole.embedded.ports import free_port
from opsconsole.embedded.record import DATABASE, RUNTIME, ServersRecord
from opsconsole.embedded.roles import RUNTIME_SESSION
from tests.build import a_console_operation, a_person, move_back
from tests.celery_workers import BEAT, WORKER, broker_fixture, start_fixture
from tests.operations.api.caller import a_caller
from tests.receiver import eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import ROOT, let_a_worker_die

__all__ = ["broker_fixture", "start_fixture"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.servers,
    pytest.mark.pooler,
    pytest.mark.timeout(180),
]

# Fewer than there are connections to the pooler, so that these do share sessions.
SESSIONS = 3
CONFIGURATION = """
[databases]
{database} = host={sockets} port=5432 dbname={database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users.txt
logfile = {folder}/pgbouncer.log
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 100
"""
# One that belonged to a session would stay.
ADVISORY_LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
IN_TRANSACTION = (
    "SELECT count(*) FROM pg_stat_activity"
    f" WHERE usename = '{RUNTIME}' AND state LIKE 'idle in transaction%'"
)


@pytest.fixture
def pooled(postgres_record: ServersRecord) -> Iterator[dict[str, str]]:
    """A pooler in transaction mode, and the environment of a process that goes through it."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if program is None:
        pytest.skip("there is no pgbouncer here; on Debian: apt-get install pgbouncer")
    port, account = free_port(kept=0), servers_account("nobody", must_reach=[])
    with tempfile.TemporaryDirectory(prefix="opsconsole-pooler-") as name:
        folder = Path(name)
        users = f'"{RUNTIME}" "{postgres_record.runtime_password}"\n'
        (folder / "users.txt").write_text(users)
        text = CONFIGURATION.format(
            database=DATABASE,
            sockets=postgres_record.socket_directory,
            port=port,
            folder=folder,
            sessions=SESSIONS,
        )
        (folder / "pgbouncer.ini").write_text(text)
        if account is not None:
            for path in (folder, *folder.iterdir()):
                os.chown(path, account.uid, account.gid)
        pgbouncer = processes.launch(
            [program, "-q", str(folder / "pgbouncer.ini")],
            log=folder / "pgbouncer.err",
            mark=folder,
            account=account,
            death_signal="KILL",
        )
        url = (
            f"postgresql://{RUNTIME}:{postgres_record.runtime_password}@127.0.0.1:{port}/{DATABASE}"
        )
        assert eventually(lambda: answers(url), within_seconds=20)
        yield {"DATABASE_URL": url, "DATABASE_POOLER": "transaction"}
        processes.stop(pgbouncer, first=signal.SIGTERM, within_seconds=5)


def answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def test_everything_works_through_it_and_a_killed_worker_blocks_nobody(
    pooled, start, sandbox_process, settings, connect_as
):
    """Case 118: nothing rests on a session: no lock, no setting, no prepared statement."""
    token, approver = a_caller("agent-1").secret, a_person("anna", "approver").username
    held = a_console_operation()
    let_a_worker_die(sandbox_process, "in_the_mark", held, settings, **pooled)
    assert (held.state, held.claim_token is not None) == (State.READY, True)
    onlooker = connect_as("superuser")
    onlooker.autocommit = True
    assert eventually(lambda: onlooker.execute(IN_TRANSACTION).fetchone() == (0,))
    onlooker.execute("SELECT 1 FROM operations_operation FOR UPDATE NOWAIT")
    move_back(held, 60)  # its lease
    operations = [held, *(a_console_operation() for _ in range(8))]
    sandbox_process.fault(operations[-1].key, "lose_reply")
    start(*WORKER, **pooled)
    start(*BEAT, **pooled)
    assert agents_and_people(token, approver, settings, pooled) == "done\n"
    assert eventually(
        lambda: not Operation.objects.exclude(state=State.CONFIRMED).exists(), within_seconds=60
    ), start.said
    assert {requests_and_effects(sandbox_process, each) for each in operations} == {(1, 1)}
    still = Claim.objects.filter(ended_at=None)
    assert eventually(lambda: not still.exists(), within_seconds=60)
    assert eventually(lambda: onlooker.execute(ADVISORY_LOCKS).fetchone() == (0,))
    assert "prepared statement" not in start.said
    for name, limit in RUNTIME_SESSION.items():
        with psycopg.connect(pooled["DATABASE_URL"]) as through_it:
            assert through_it.execute(f"SHOW {name}").fetchone() == (limit,)


def agents_and_people(token: str, approver: str, settings, pooled: dict[str, str]) -> str:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.opsconsole.pooled_settings",
        "OPSCONSOLE_DATA": str(settings.OPSCONSOLE_DATA),
        "CELERY_BROKER_URL": "memory://",
        **pooled,
    }
    command = [sys.executable, "-m", "tests.opsconsole.pooled_child", token, approver]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
