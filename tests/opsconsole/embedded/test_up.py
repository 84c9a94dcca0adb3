"""`manage.py up` as a person meets it: started, killed, started again, stopped."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
import pytest

from opsconsole.embedded.ports import free_port
from opsconsole.embedded.processes import MARK
from opsconsole.embedded.services import Services
from tests.following import following

pytestmark = [pytest.mark.servers, pytest.mark.timeout(300)]
PROJECT = Path(__file__).resolve().parents[3]
GIVEN = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "SANDBOX_URL")


class Console:
    """One data directory and one port, on which `up` may be started many times."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = free_port(kept=0)

    def up(self, **variables: str) -> subprocess.Popen[str]:
        """Start it and return at once."""
        environment = {name: value for name, value in os.environ.items() if name not in GIVEN}
        environment |= {"OPSCONSOLE_DATA": str(self.root), "PORT": str(self.port), **variables}
        environment["DJANGO_SETTINGS_MODULE"] = "opsconsole.settings"
        return subprocess.Popen(
            following([sys.executable, "manage.py", "up"]),
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def ready(self) -> dict[str, str]:
        """Wait until it answers and return what readiness says."""
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                return httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=10).json()
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError("the console did not answer within 120 s")

    def processes(self) -> list[psutil.Process]:
        """Every process that was started on this data and still runs."""
        return [each for each in psutil.process_iter() if self._is_ours(each)]

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            is_over = process.status() == psutil.STATUS_ZOMBIE
            return not is_over and process.environ().get(MARK) == str(self.root)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False

    def wait_for_none(self) -> list[psutil.Process]:
        """Return what still runs after half a minute; empty is what one hopes for."""
        until = time.monotonic() + 30
        while self.processes() and time.monotonic() < until:
            time.sleep(0.1)
        return self.processes()


@pytest.fixture
def console():
    with tempfile.TemporaryDirectory(prefix="opsconsole-up-") as folder:
        yield Console(Path(folder) / "data")


def lines_until(process: subprocess.Popen[str], end: str) -> list[str]:
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if end in line:
            return lines
    raise AssertionError(f"`up` ended before it said {end!r}: {lines}")


def test_it_starts_survives_kills_and_leaves_nothing(console):
    first = console.up()
    said = lines_until(first, "Ctrl-C stops everything.")
    assert f"  opsconsole   http://127.0.0.1:{console.port}" in said
    answer = console.ready()
    assert (answer["status"], answer["grants"], answer["broker"]) == ("ready", "enforced", "ok")

    # A second one on the same data, then another data directory on the same port.
    twice = console.up()
    assert "already running on" in twice.communicate(timeout=60)[0]
    assert twice.returncode == 1
    with tempfile.TemporaryDirectory(prefix="opsconsole-up-") as other:
        taken = console.up(OPSCONSOLE_DATA=other)
        assert (
            f"PORT: expected a free port on 127.0.0.1; got {console.port}" in taken.communicate()[0]
        )
        assert taken.returncode == 1

    # A crashed child comes back.
    web = next(each for each in console.processes() if "granian" in " ".join(each.cmdline()))
    group = os.getpgid(web.pid)
    os.killpg(group, signal.SIGKILL)
    lines_until(first, "web ended (killed by SIGKILL); starting it again in 1 s.")
    lines_until(first, "web is running again as process")
    assert console.ready()["status"] == "ready"

    # A killed supervisor blocks nothing, even at once.
    first.kill()
    first.communicate()
    second = console.up()
    lines_until(second, "Ctrl-C stops everything.")
    assert console.ready()["status"] == "ready"

    second.send_signal(signal.SIGTERM)
    assert "Everything is stopped." in second.communicate(timeout=60)[0]
    assert second.returncode == 0
    assert console.wait_for_none() == []
    with socket.create_server(("127.0.0.1", console.port)):
        pass  # the port is free again


def test_ctrl_c_while_it_starts_leaves_nothing(console):
    starting = console.up()
    until = time.monotonic() + 60
    while not (console.root / "logs" / "migrate.log").exists() and time.monotonic() < until:
        time.sleep(0.02)
    starting.send_signal(signal.SIGINT)
    said = starting.communicate(timeout=60)[0]
    assert "Everything is stopped." in said
    assert "Traceback" not in said
    assert console.wait_for_none() == []


@pytest.fixture
def someone_elses_server():
    with tempfile.TemporaryDirectory(prefix="opsconsole-other-") as folder:
        services = Services.start(Path(folder), with_broker=False)
        yield services.record
        services.stop()


def test_with_one_role_for_everything_grants_are_said_to_be_missing(console, someone_elses_server):
    process = console.up(DATABASE_URL=someone_elses_server.owner_url)
    try:
        lines_until(process, "Ctrl-C stops everything.")
        answer = console.ready()
        assert (answer["status"], answer["grants"]) == ("ready", "not enforced")
        assert not (console.root / "postgres").exists()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_a_server_that_may_lose_a_commit_is_refused(console, postgres_record):
    process = console.up(DATABASE_URL=postgres_record.owner_url)
    said = process.communicate(timeout=60)[0]
    assert "PostgreSQL's fsync: expected on; got off." in said
    assert process.returncode == 1


def test_a_wrong_setting_is_one_sentence(console):
    process = console.up(PORT="eighty")
    said = process.communicate(timeout=60)[0]
    assert said == 'PORT: expected a whole number, at least 1, at most 65535; got "eighty".\n'
    assert process.returncode == 1
