"""The embedded servers, really started, killed and started again."""

import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest

from opsconsole.embedded import orphans, valkey
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.services import Services

pytestmark = pytest.mark.servers


def start(root: Path, **options) -> Services:
    """Start without fsync, which most of these tests do not need and all would pay for."""
    return Services.start(root, **{"is_durable": False, **options})


@pytest.fixture(scope="module")
def made_once():
    """A data directory that was started once; each test gets a copy, which saves initdb."""
    with tempfile.TemporaryDirectory(prefix="opsconsole-servers-") as folder:
        start(Path(folder) / "data").stop()
        yield Path(folder) / "data"


@pytest.fixture
def root(made_once):
    with tempfile.TemporaryDirectory(prefix="opsconsole-servers-") as folder:
        place = Path(folder) / "data"
        subprocess.run(["cp", "-a", str(made_once), str(place)], check=True)
        yield place


def settings_of(record: ServersRecord) -> dict[str, str]:
    with psycopg.connect(record.database_url) as connection:
        return dict(connection.execute("SELECT name, setting FROM pg_settings").fetchall())


def test_the_first_start_makes_private_durable_servers(root):
    services = start(root, is_durable=True)
    try:
        found = settings_of(services.record)
        assert found["listen_addresses"] == ""
        assert (found["fsync"], found["data_checksums"]) == ("on", "on")
        assert found["password_encryption"] == "scram-sha-256"
        assert valkey.answers(services.record)
        assert (root / "embedded.json").stat().st_mode & 0o777 == 0o600
        assert Path(services.record.socket_directory).stat().st_mode & 0o077 == 0
    finally:
        services.stop()


def test_nobody_gets_in_without_the_password(root):
    services = start(root)
    try:
        url = services.record.database_url.replace(services.record.runtime_password, "guess")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url)
        stranger = replace(services.record, broker_password="guess")
        assert not valkey.answers(stranger)
    finally:
        services.stop()


def test_a_second_start_finds_what_the_first_one_kept(root):
    first = start(root)
    with psycopg.connect(first.record.owner_url) as owner:
        owner.execute("CREATE TABLE kept (word text)")
        owner.execute("INSERT INTO kept VALUES ('still here')")
    first.stop()
    second = start(root)
    try:
        with psycopg.connect(second.record.owner_url) as owner:
            assert owner.execute("SELECT word FROM kept").fetchone() == ("still here",)
    finally:
        second.stop()


def test_a_killed_postmaster_is_recovered_from(root):
    first = start(root)
    os.kill(first.postgres.pid, signal.SIGKILL)
    first.postgres.wait()
    assert (root / "postgres" / "postmaster.pid").exists()
    second = start(root)
    assert settings_of(second.record)["data_checksums"] == "on"
    second.stop()
    first.stop()


def test_a_crashed_backend_ends_the_server_and_the_next_start_recovers(root):
    first = start(root, with_broker=False)
    with psycopg.connect(first.record.database_url) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        assert first.postgres.wait(timeout=20) != 0
    second = start(root, with_broker=False)
    assert settings_of(second.record)["restart_after_crash"] == "off"
    second.stop()


def test_a_postgres_that_still_runs_is_ended_first(root):
    first = start(root, with_broker=False)
    second = start(root, with_broker=False)
    try:
        assert first.postgres.wait(timeout=5) == 0  # a fast shutdown, not a kill
        assert second.postgres.pid != first.postgres.pid
        assert settings_of(second.record)["data_checksums"] == "on"
    finally:
        second.stop()


def test_a_recorded_pid_of_another_program_blocks_nothing(root):
    with subprocess.Popen(["sleep", "60"]) as bystander:
        pid_file = root / "postgres" / "postmaster.pid"
        pid_file.write_text(f"{bystander.pid}\n{root}/postgres\n")
        assert orphans.end_orphan_postgres(DataDirectory(root)) is False
        assert not pid_file.exists()
        assert bystander.poll() is None
        bystander.kill()


def test_a_process_nobody_reaped_counts_as_ended(root):
    with subprocess.Popen(["true"]) as ended:
        while psutil.Process(ended.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        (root / "postgres" / "postmaster.pid").write_text(f"{ended.pid}\n")
        assert orphans.end_orphan_postgres(DataDirectory(root)) is False
    services = start(root, with_broker=False)
    services.stop()


def test_passwords_that_are_gone_are_a_sentence(root):
    (root / "embedded.json").unlink()
    with pytest.raises(
        CannotStart, match=r"embedded.json: expected the passwords that .* the file is gone"
    ):
        start(root)


def test_a_record_with_other_members_is_a_sentence(root):
    (root / "embedded.json").write_text('{"password": "x"}')
    with pytest.raises(
        CannotStart, match=r"expected the members superuser_password.*; got password"
    ):
        start(root)


def test_a_half_made_cluster_is_made_again(root):
    shutil.rmtree(root / "postgres")
    half = root / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    services = start(root, with_broker=False)
    try:
        assert settings_of(services.record)["data_checksums"] == "on"
        assert not half.exists()
    finally:
        services.stop()


def test_a_long_data_path_gets_a_short_socket(made_once):
    with tempfile.TemporaryDirectory(prefix="opsconsole-servers-") as folder:
        place = Path(folder) / ("long" * 25) / "data"
        place.parent.mkdir()
        subprocess.run(["cp", "-a", str(made_once), str(place)], check=True)
        first = start(place, with_broker=False)
        sockets = first.record.socket_directory
        first.stop()
        assert not sockets.startswith(str(place))
        second = start(place, with_broker=False)
        second.stop()
        assert second.record.socket_directory == sockets
        shutil.rmtree(sockets)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another account")
def test_root_gives_the_servers_to_another_account(root):
    services = start(root)
    try:
        assert psutil.Process(services.postgres.pid).username() == "nobody"
        assert psutil.Process(services.valkey.pid).username() == "nobody"
    finally:
        services.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another account")
@pytest.mark.parametrize("name", ["root", "no-such-account"])
def test_an_account_that_cannot_serve_is_a_sentence(root, name):
    with pytest.raises(CannotStart, match=f'EMBEDDED_ACCOUNT: expected .*"{name}"'):
        start(root, account_name=name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can close a folder to others and use it")
def test_a_clone_in_a_closed_folder_works(made_once):
    with tempfile.TemporaryDirectory(prefix="opsconsole-servers-") as folder:
        closed = Path(folder) / "closed"
        closed.mkdir(mode=0o700)
        subprocess.run(["cp", "-a", str(made_once), str(closed / "data")], check=True)
        services = start(closed / "data")
        assert services.account.passes_closed_folders
        assert settings_of(services.record)["data_checksums"] == "on"
        services.stop()
