"""A whole console as `make run` starts it, a sandbox beside it, and those who use the two."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from opsconsole.client import OpsConsole
from opsconsole.demo.agents.errand import Errand
from opsconsole.demo.record import DemoRecord
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.ports import free_port
from opsconsole.embedded.record import ServersRecord
from reconciliation.sandbox.process import SandboxProcess
from tests.following import following

PROJECT = Path(__file__).resolve().parents[2]
# A test run's own settings, which the console under test must not get.
NOT_FOR_IT = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "SANDBOX_URL")
STARTED = "Ctrl-C stops everything."
# In the order of opsconsole.toml, where the sandbox comes first.
SHORTER = (
    ("delivery_delay_seconds", 15, 5),
    ("send_within_seconds", 8, 4),
    ("lookup_interval_seconds", 3, 1),
)


class World:
    """Web, worker, beat, PostgreSQL and Valkey under one supervisor; the sandbox under the test."""

    def __init__(self, root: Path) -> None:
        self.directory = DataDirectory(root)
        self.port = free_port(kept=0)
        self.url = f"http://127.0.0.1:{self.port}"
        self._config = PROJECT / "opsconsole.toml"
        self._supervisor: subprocess.Popen[str] | None = None

    def up(self, *options: str) -> list[str]:
        """Run `up` and return what it printed once all answers; raises AssertionError else."""
        self._supervisor = self.start_command("up", *options)
        said = []
        for line in self._supervisor.stdout or ():
            said.append(line.rstrip())
            if STARTED in line:
                return said
        raise AssertionError("\n".join(said))

    def start(self) -> None:
        """The console, its people and agents, and a sandbox that the test holds in its hands.

        The sandbox's times are shorter than the demo's: a quarantine takes 11 s instead of 25.
        """
        self.directory.prepare()
        text = (PROJECT / "opsconsole.toml").read_text()
        for name, seconds, shorter in SHORTER:
            assert f"{name} = {seconds}\n" in text
            text = text.replace(f"{name} = {seconds}\n", f"{name} = {shorter}\n", 1)
        self._config = self.directory.root / "opsconsole.toml"
        self._config.write_text(text)
        self.up()
        self.manage("seed_demo", "--people")
        self.demo = DemoRecord.load(self.directory.demo_record)
        servers = ServersRecord.load(self.directory.record)
        assert servers is not None
        self.sandbox = SandboxProcess(
            self.directory.sandbox,
            port=servers.sandbox_port,
            webhook_url=f"{self.url}/hooks/{{environment}}/sandbox",
            webhook_secret=servers.sandbox_webhook_secret,
        ).start()

    def stop(self) -> None:
        """Stop everything that `start` started, however far it came."""
        if hasattr(self, "sandbox"):
            self.sandbox.stop()
        if self._supervisor is not None:
            self._supervisor.terminate()
            self._supervisor.communicate(timeout=90)
            self._supervisor = None

    def manage(self, *arguments: str) -> str:
        """Run one manage.py command on this console's data; returns what it printed."""
        code, output = self.run(*arguments)
        assert code == 0, output
        return output

    def run(self, *arguments: str, seconds: float = 90) -> tuple[int, str]:
        """The same for one that may fail: its exit code, and what it printed."""
        process = self.start_command(*arguments)
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output

    def agent(self, errand: Errand) -> "subprocess.Popen[str]":
        """Start an agent process that does this errand through the Python client."""
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "opsconsole.demo.agents.run",
                str(self.directory.demo_record),
                errand.as_argument(),
            ],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def console(self, agent: str = "agent-1") -> OpsConsole:
        """The client of one of the demo's agents."""
        return OpsConsole(self.url, self.demo.tokens[agent])

    def api(self, token: str = "") -> httpx.Client:
        """Bare HTTP, for what the client would not do."""
        headers = {"Authorization": f"Bearer {token or self.demo.tokens['agent-1']}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=30)

    def counts(self, key: str) -> tuple[int, int]:
        """Requests and effects at the receiver, counted there."""
        ledger = self.sandbox.ledger(key)
        return ledger["requests"], len(ledger["effects"])

    def start_command(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start one manage.py command on this console's data."""
        environment = {name: text for name, text in os.environ.items() if name not in NOT_FOR_IT}
        environment |= {
            "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
            "OPSCONSOLE_DATA": str(self.directory.root),
            "PORT": str(self.port),
            "OPSCONSOLE_CONFIG": str(self._config),
            "SWEEP_SECONDS": "1",
            "WORKER_PROCESSES": "2",
        }
        return subprocess.Popen(
            following([sys.executable, "manage.py", *arguments]),
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def eventually[T](look: Callable[[], T], holds: Callable[[T], Any], *, seconds: float = 60) -> T:
    """What `look` returns once it holds; raises AssertionError with the last of it."""
    until = time.monotonic() + seconds
    seen = look()
    while not holds(seen):
        if time.monotonic() > until:
            raise AssertionError(f"after {seconds:g} s still {seen!r}")
        time.sleep(0.1)
        seen = look()
    return seen
