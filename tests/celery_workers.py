"""Real Celery workers and beat on a broker of their own, with short times and their log."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from opsconsole.embedded.children import Plan, children
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.services import Services
from reconciliation.sandbox.process import SandboxProcess
from tests.following import following
from tests.receiver import configure

ROOT = Path(__file__).resolve().parents[1]
WORKER = ("worker", "--concurrency", "2", "--without-gossip", "--without-mingle")
BEAT = ("beat", "--scheduler", "celery.beat:Scheduler", "--pidfile=")


@pytest.fixture(name="broker")
def broker_fixture() -> Iterator[Services]:
    """An empty broker."""
    with tempfile.TemporaryDirectory(prefix="opsconsole-broker-") as folder:
        os.chmod(folder, 0o755)
        broker = Services.start(Path(folder) / "data", with_database=False)
        yield broker
        broker.stop()


class Celery:
    """Starts processes of the product's Celery application, and remembers them and their log."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self._environment, self._log = environment, log
        self._started: list[subprocess.Popen[bytes]] = []

    def __call__(self, *arguments: str, **also: str) -> "subprocess.Popen[bytes]":
        """Start `celery` with these arguments; `also` goes into its environment."""
        command = following([sys.executable, "-m", "celery", "-A", "opsconsole", *arguments])
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=self._environment | also, stdout=log, stderr=log
            )
        self._started.append(process)
        return process

    @property
    def said(self) -> str:
        """What all of them wrote so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def kill_all(self) -> None:
        """End what still runs."""
        for process in self._started:
            kill(process)


@pytest.fixture(name="start")
def start_fixture(
    broker: Services, sandbox_process: SandboxProcess, postgres_record: ServersRecord, settings
) -> Iterator[Celery]:
    """Start `celery` with these arguments on that broker; all are ended afterwards."""
    configure(settings, url=sandbox_process.url)
    with tempfile.TemporaryDirectory(prefix="opsconsole-workers-") as folder:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
            "OPSCONSOLE_DATA": folder,
            "OPSCONSOLE_CONFIG": str(quick_configuration(Path(folder))),
            "DATABASE_URL": postgres_record.database_url,
            "CELERY_BROKER_URL": broker.record.broker_url,
            "SANDBOX_URL": sandbox_process.url,
            "SWEEP_SECONDS": "1",
        }

        celery = Celery(environment, Path(folder) / "celery.log")
        yield celery
        celery.kill_all()


def quick_configuration(folder: Path) -> Path:
    """The project's own configuration with a sandbox whose delays are a second or two."""
    text = (ROOT / "opsconsole.toml").read_text()
    for name, usual, quick in (
        ("send_within_seconds", 8, 2),
        ("lookup_lag_seconds", 2, 0),
        ("delivery_delay_seconds", 15, 1),
        ("lookup_interval_seconds", 3, 1),
    ):
        assert f"\n{name} = {usual}\n" in text
        text = text.replace(f"\n{name} = {usual}\n", f"\n{name} = {quick}\n")
    path = folder / "opsconsole.toml"
    path.write_text(text)
    return path


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the process and to those that it started."""
    if process.poll() is None:
        family = psutil.Process(process.pid)
        for member in [*family.children(recursive=True), family]:
            member.kill()
    process.wait(timeout=10)


def worker_commands() -> list[tuple[str, ...]]:
    """What `up` gives to celery to start its own workers."""
    plan = Plan(
        root=ROOT,
        account_name="nobody",
        bind_address="127.0.0.1",
        port=1,
        web_threads=2,
        worker_processes=2,
        with_database=True,
        with_broker=True,
        with_demo=False,
    )
    commands = [child.command for child in children(plan, sandbox_port=1)]
    celery = [each[each.index("opsconsole") + 1 :] for each in commands if "celery" in each]
    return [each for each in celery if each[0] == "worker"]
