"""A whole console in its own processes, whose servers a campaign holds in its hands."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg

from opsconsole.demo.record import DemoRecord
from opsconsole.embedded import processes, valkey
from opsconsole.embedded.children import Child, Plan, children
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.ports import free_port
from opsconsole.embedded.record import DATABASE, ServersRecord
from opsconsole.embedded.services import Services
from opsconsole.embedded.steps import run_together
from opsconsole.embedded.supervisor import Kept, Supervisor
from reconciliation.sandbox.process import SandboxProcess

PROJECT = Path(__file__).resolve().parents[3]
SWEEP_SECONDS = 1
READY_WITHIN_SECONDS = 60.0
# In the order of opsconsole.toml, where the sandbox comes first. A quarantine takes 5 s here.
SHORTER = (
    ("lookup_lag_seconds", 2, 1),
    ("delivery_delay_seconds", 15, 2),
    ("send_within_seconds", 8, 3),
    ("lookup_interval_seconds", 3, 1),
)


class Tended(Supervisor):
    """The product's own supervisor, looked after between two acts of a campaign."""

    def look(self) -> None:
        """Restart what ended, once it is due."""
        for kept in self.kept:
            self._look_at(kept)


class Site:
    """Web, worker, sweeper and beat as `up` starts them, beside servers and a receiver of our own.

    Everything is started, and ended, from the main thread; other threads only talk to it.
    """

    def __init__(self, root: Path) -> None:
        self.directory = DataDirectory(root)
        self.port = free_port(kept=0)
        self.url = f"http://127.0.0.1:{self.port}"
        self.said: list[str] = []
        self._supervisor = Tended(say=self.said.append)

    def start(self, *, prepare: Callable[[], None] = lambda: None) -> None:
        """Copy a prepared console and start it. `prepare` runs before its servers start."""
        subprocess.run(["cp", "-a", str(prepared()), str(self.directory.root)], check=True)
        prepare()
        self.services = Services.start(self.directory.root)
        self.record = self.services.record
        self.tokens = DemoRecord.load(self.directory.demo_record).tokens
        self.sandbox = SandboxProcess(
            self.directory.sandbox,
            port=self.record.sandbox_port,
            webhook_url=f"{self.url}/hooks/{{environment}}/sandbox",
            webhook_secret=self.record.sandbox_webhook_secret,
        ).start()
        for child in children(_plan(self), sandbox_port=self.record.sandbox_port):
            launch = partial(self._launch, child)
            kept = Kept(name=child.name, launch=launch, process=launch(), stage=child.stage)
            kept.stop_within_seconds = child.stop_within_seconds
            self._supervisor.keep(kept)
        self.wait_until_ready()

    def stop(self) -> None:
        """Stop everything that `start` started, however far it came."""
        self._supervisor.stop_all()
        if hasattr(self, "sandbox"):
            self.sandbox.stop()
        if hasattr(self, "services"):
            self.services.stop()

    def wait_until_ready(self) -> None:
        """Return once web answers that it is ready; raises AssertionError with the last answer."""
        until = time.monotonic() + READY_WITHIN_SECONDS
        seen = ""
        while time.monotonic() < until:
            self.tend()
            try:
                answer = httpx.get(f"{self.url}/readyz", trust_env=False, timeout=5)
                seen = answer.text
                if answer.is_success:
                    return
            except httpx.HTTPError as error:
                seen = repr(error)
            time.sleep(0.05)
        raise AssertionError(f"web is not ready after {READY_WITHIN_SECONDS:g} s: {seen}")

    def tend(self) -> None:
        """What the supervisor of `up` does five times a second."""
        self._supervisor.look()

    def pause(self, seconds: float) -> None:
        """Let the console work for a while, tended."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.tend()
            time.sleep(min(0.1, left))

    def process(self, name: str) -> processes.Popen:
        """The process of this name that runs now."""
        return next(kept.process for kept in self._supervisor.kept if kept.name == name)

    def kill_postgres(self) -> int:
        """SIGKILL to the postmaster and all its backends; returns how many processes that were."""
        server = self.services.postgres
        assert server is not None
        try:
            family = psutil.Process(server.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            family = []
        server.kill()
        for backend in family:
            if backend.is_running():
                backend.kill()
        server.wait()
        until = time.monotonic() + 10
        while any(map(_is_alive, family)) and time.monotonic() < until:
            time.sleep(0.005)
        return 1 + len(family)

    def start_postgres(self) -> float:
        """Start PostgreSQL on what the last one left; returns the seconds until it took a query."""
        began = time.monotonic()
        self.services.postgres = self.services.launch_postgres()
        self.services.cluster.wait_until_ready(self.services.postgres, self.record)
        return time.monotonic() - began

    def kill_broker(self) -> None:
        """SIGKILL to Valkey."""
        assert self.services.valkey is not None
        self.services.valkey.kill()
        self.services.valkey.wait()

    def start_broker(self) -> None:
        """Start Valkey on its port, empty."""
        self.services.valkey = self.services.launch_valkey()
        valkey.wait_until_ready(self.services.valkey, self.directory, self.record)

    @contextmanager
    def superuser(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that may see and end everything, each statement on its own."""
        with psycopg.connect(self.record.superuser_url(DATABASE), autocommit=True) as connection:
            yield connection

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run one manage.py command of this console."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env={**os.environ, **self.environment()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def environment(self) -> dict[str, str]:
        """What the console's processes are given; a test run's own settings are overwritten."""
        return _environment(self.directory, self.services.record, port=self.port)

    def log(self, name: str) -> str:
        """What a process wrote so far."""
        return self.directory.log(name).read_text(errors="replace")

    def _launch(self, child: Child) -> processes.Popen:
        return processes.launch(
            list(child.command),
            log=self.directory.log(child.name),
            environment={**self.environment(), **child.environment},
            mark=self.directory.root,
        )


@contextmanager
def running_site(folder: Path, **options: Any) -> Iterator[Site]:
    """A started console in an own folder, stopped at the end."""
    folder.chmod(0o711)  # as root, the account of the servers passes through
    site = Site(folder / "data")
    try:
        site.start(**options)
        yield site
    finally:
        site.stop()


@cache
def prepared() -> Path:
    """A console's data with a migrated database and the demo's people; made once a process."""
    folder = tempfile.TemporaryDirectory(prefix="opsconsole-prepared-")
    _KEPT.append(folder)
    folder_path = Path(folder.name)
    folder_path.chmod(0o711)  # as root, the servers' account passes through
    directory = DataDirectory(folder_path / "data")
    directory.prepare()
    (directory.root / "opsconsole.toml").write_text(_configuration())
    services = Services.start(directory.root, with_broker=False)
    try:
        environment = _environment(directory, services.record, port=0) | {"PORT": "8000"}
        run_together(
            directory, ("migrate",), ("collectstatic", "--noinput"), environment=environment
        )
        run_together(directory, ("seed_demo", "--people"), environment=environment)
    finally:
        services.stop()
    shutil.rmtree(directory.logs)
    return directory.root


# Removed with the process.
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def _is_alive(process: psutil.Process) -> bool:
    # One that ended and that nobody has reaped yet holds nothing any more.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _configuration() -> str:
    text = (PROJECT / "opsconsole.toml").read_text()
    for name, seconds, shorter in SHORTER:
        assert f"{name} = {seconds}\n" in text
        text = text.replace(f"{name} = {seconds}\n", f"{name} = {shorter}\n", 1)
    return text


def _environment(directory: DataDirectory, record: ServersRecord, *, port: int) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
        "OPSCONSOLE_DATA": str(directory.root),
        "OPSCONSOLE_CONFIG": str(directory.root / "opsconsole.toml"),
        "DATABASE_URL": record.database_url,
        "DATABASE_OWNER_URL": record.owner_url,
        "CELERY_BROKER_URL": record.broker_url,
        "SANDBOX_URL": record.sandbox_url,
        "SANDBOX_WEBHOOK_SECRET": record.sandbox_webhook_secret,
        "SWEEP_SECONDS": str(SWEEP_SECONDS),
        "BIND_ADDRESS": "127.0.0.1",
        "PORT": str(port),
        "PYTHONUNBUFFERED": "1",
    }


def _plan(site: Site) -> Plan:
    return Plan(
        root=site.directory.root,
        account_name="nobody",
        bind_address="127.0.0.1",
        port=site.port,
        web_threads=16,
        worker_processes=2,
        with_database=True,
        with_broker=True,
        with_demo=False,
    )
