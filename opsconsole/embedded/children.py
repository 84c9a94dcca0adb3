"""The processes of a running console, as a list to extend: first started, last stopped."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from opsconsole.embedded.directory import DataDirectory

PYTHON = sys.executable
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one start needs to know. `with_*` says which servers are ours and whether to seed."""

    root: Path
    account_name: str
    bind_address: str
    port: int
    web_threads: int
    worker_processes: int
    with_database: bool
    with_broker: bool
    with_demo: bool

    @property
    def url(self) -> str:
        """The console's address for someone on this machine."""
        return console_url(self.bind_address, self.port)


def console_url(bind_address: str, port: int) -> str:
    """The address under which someone on this machine reaches a console bound like this."""
    host = "127.0.0.1" if bind_address in EVERY_ADDRESS else bind_address
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """One process: how it is started, and how long its orderly end may take.

    With a `ready_url` the next one starts when that address answers 200. `stage` says what stops
    together: 2 what works, 1 what it works with; the servers are 0 and stop last.
    """

    name: str
    command: tuple[str, ...]
    stop_within_seconds: float = 5.0
    stage: int = 2
    ready_url: str = ""
    environment: dict[str, str] = field(default_factory=dict)


def children(plan: Plan, *, sandbox_port: int) -> list[Child]:
    """Return what to run, in the order of starting."""
    console = [_web(plan), _worker(plan), _sweeper(), _beat()]
    if not plan.with_demo:
        return console
    return [_sandbox(plan, sandbox_port), *console, _demo_agents()]


def _web(plan: Plan) -> Child:
    options = {
        "--interface": "wsgi",
        "--host": plan.bind_address,
        "--port": str(plan.port),
        "--workers": "1",
        # A long poll holds its thread, so there are many more of them than connections.
        "--blocking-threads": str(plan.web_threads),
        "--workers-kill-timeout": "4",
    }
    command = [PYTHON, "-m", "granian", "--respawn-failed-workers", "--access-log", "--no-ws"]
    for name, value in options.items():
        command += [name, value]
    return Child(
        name="web",
        command=(*command, "opsconsole.wsgi:application"),
        stop_within_seconds=8,
        ready_url=f"{plan.url}/readyz",
        environment={"DATABASE_POOL_SIZE": str(max(4, min(32, plan.web_threads // 2)))},
    )


def _worker(plan: Plan) -> Child:
    size = ("--concurrency", str(plan.worker_processes))
    return _celery_worker("worker", "--queues", "dispatch,reconcile,backlog", *size)


def _sweeper() -> Child:
    # In a process of its own, so that no receiver that hangs keeps it from its work.
    return _celery_worker("sweeper", "--queues", "sweep", "--pool", "solo")


def _celery_worker(name: str, *options: str) -> Child:
    # What workers tell each other serves nobody here: the row is the queue.
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    celery = (PYTHON, "-m", "celery", "-A", "opsconsole", "worker", "-l", "INFO")
    return Child(
        name=name,
        command=(*celery, "--hostname", f"{name}@%h", *quiet, *options),
        stop_within_seconds=10,
    )


def _beat() -> Child:
    # In memory and without a pid file: nothing stale can block the next start.
    options = ("-l", "WARNING", "--scheduler", "celery.beat:Scheduler", "--pidfile=")
    return Child(
        name="beat", command=(PYTHON, "-m", "celery", "-A", "opsconsole", "beat", *options)
    )


def _sandbox(plan: Plan, port: int) -> Child:
    hooks = f"{plan.url}/hooks/{{environment}}/sandbox"
    store = str(DataDirectory(plan.root).sandbox)
    options = ("--port", str(port), "--store", store, "--webhook-url", hooks)
    command = (PYTHON, "-m", "reconciliation.sandbox", *options)
    return Child(name="sandbox", command=command, stage=1)


def _demo_agents() -> Child:
    return Child(name="agents", command=(PYTHON, "-m", "opsconsole.demo.agents"))
