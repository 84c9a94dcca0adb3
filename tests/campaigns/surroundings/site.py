"""A whole console in its own processes, whose servers a campaign holds in its hands."""

import atexit
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from signal import SIGINT
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psutil
import psycopg

from opsconsole.demo.record import DemoRecord
from opsconsole.embedded import postgres, processes, valkey
from opsconsole.embedded.children import Child, Plan, children
from opsconsole.embedded.console import SERVERS_LONGEST_WAIT_SECONDS
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.ports import free_port
from opsconsole.embedded.record import DATABASE
from opsconsole.embedded.services import Services
from opsconsole.embedded.supervisor import Kept, Supervisor
from reconciliation.sandbox.process import SandboxProcess
from tests.campaigns.harness.campaign import Run
from tests.campaigns.surroundings.failing_disk import FailingDisk
from tests.campaigns.surroundings.prepared import PROJECT, console_environment, prepared

READY_WITHIN_SECONDS = 60.0


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

    def __init__(self, root: Path, *, disk: FailingDisk | None = None) -> None:
        self.directory = DataDirectory(root)
        self.disk = disk
        self.port = free_port(kept=0)
        self.url = f"http://127.0.0.1:{self.port}"
        self.said: list[str] = []
        self._supervisor = Tended(say=self.said.append)

    def start(self, *, prepare: Callable[[DataDirectory], None] | None = None) -> None:
        """Copy a prepared console and start it. `prepare` runs before its servers start."""
        subprocess.run(["cp", "-a", str(prepared()), str(self.directory.root)], check=True)
        if prepare is not None:
            prepare(self.directory)
        with _set_in_environment(self.disk):
            self.services = Services.start(self.directory.root)
        self.record = self.services.record
        self.demo = DemoRecord.load(self.directory.demo_record)
        self.tokens = self.demo.tokens
        self._keep_postgres()
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
                # Asked first, and quickly: web would wait for its database, and nobody tend here.
                psycopg.connect(self.record.superuser_url(DATABASE), connect_timeout=2).close()
                answer = httpx.get(f"{self.url}/readyz", trust_env=False, timeout=5)
                seen = answer.text
                if answer.is_success:
                    return
            except (httpx.HTTPError, psycopg.Error) as error:
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
        server = self._postgres.process
        server.send_signal(signal.SIGSTOP)  # or it goes on making backends that are not listed
        try:
            family = psutil.Process(server.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            family = []
        self._postgres.start_again_at = math.inf  # not before `start_postgres`
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
        self._postgres.process = self._launch_postgres()
        self._postgres.started_at, self._postgres.start_again_at = began, None
        self.services.cluster.wait_until_ready(self._postgres.process, self.record)
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

    def make_whole(self) -> None:
        """Start what a campaign that broke off left broken."""
        if self.disk is not None:
            self.disk.works()
        if self._postgres.process.poll() is not None:
            self.start_postgres()
        if self.services.valkey is not None and self.services.valkey.poll() is not None:
            self.start_broker()
        self.wait_until_ready()

    @contextmanager
    def superuser(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that may see and end everything, each statement on its own.

        Raises OperationalError soon where PostgreSQL is stopped: whoever asks may be who mends it.
        """
        url = self.record.superuser_url(DATABASE)
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
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
        return console_environment(self.directory, self.services.record, port=self.port)

    def log(self, name: str) -> str:
        """What a process wrote so far."""
        return self.directory.log(name).read_text(errors="replace")

    def _keep_postgres(self) -> None:
        assert self.services.postgres is not None
        kept = Kept(name="postgres", launch=self._launch_postgres, process=self.services.postgres)
        kept.stop_signal, kept.stop_within_seconds = SIGINT, postgres.STOP_WITHIN_SECONDS
        kept.longest_wait_seconds = SERVERS_LONGEST_WAIT_SECONDS
        self._supervisor.keep(kept)
        self._postgres = kept

    def _launch_postgres(self) -> processes.Popen:
        with _set_in_environment(self.disk):
            return self.services.launch_postgres()

    def _launch(self, child: Child) -> processes.Popen:
        return processes.launch(
            list(child.command),
            log=self.directory.log(child.name),
            environment={**self.environment(), **child.environment},
            mark=self.directory.root,
        )


@contextmanager
def running_site(
    folder: Path,
    *,
    disk: FailingDisk | None = None,
    prepare: Callable[[DataDirectory], None] | None = None,
) -> Iterator[Site]:
    """A started console in an own folder, stopped at the end."""
    folder.chmod(0o711)  # as root, the account of the servers passes through
    site = Site(folder / "data", disk=disk)
    try:
        site.start(prepare=prepare)
        yield site
    finally:
        site.stop()


@contextmanager
def site_of(run: Run) -> Iterator[Site]:
    """A console of the run's own; slices, which have seconds only, share one."""
    if run.is_slice:
        site = _shared()
        site.make_whole()
        yield site
    else:
        with running_site(run.directory, disk=FailingDisk.made_in(run.directory)) as site:
            yield site


@cache
def _shared() -> Site:
    stack = ExitStack()
    atexit.register(stack.close)
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="opsconsole-slices-")))
    folder.chmod(0o711)
    return stack.enter_context(running_site(folder, disk=FailingDisk.made_in(folder)))


@contextmanager
def _set_in_environment(disk: FailingDisk | None) -> Iterator[None]:
    # What PostgreSQL gets and the console's own processes do not.
    values = {} if disk is None else disk.environment()
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


def _is_alive(process: psutil.Process) -> bool:
    # One that ended and that nobody has reaped yet holds nothing any more.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


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
