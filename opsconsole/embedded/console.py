"""`manage.py up`: the servers, the set-up steps, the children, and the end of them all."""

import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from signal import SIGINT

from opsconsole.embedded import postgres, processes, steps, valkey
from opsconsole.embedded.children import Child, Plan, children
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.lock import only_one
from opsconsole.embedded.orphans import end_orphans
from opsconsole.embedded.ports import require_free
from opsconsole.embedded.services import Services
from opsconsole.embedded.supervisor import Kept, StopRequested, Supervisor

READY_WITHIN_SECONDS = 90.0
# Everything else waits for the servers, so one whose disk was full is tried again soon.
SERVERS_LONGEST_WAIT_SECONDS = 4.0


def run(plan: Plan, *, say: Callable[[str], None], announce: Callable[[], None]) -> None:
    """Start all, stay until a signal, stop all. Raises CannotStart with a sentence.

    `say` prints a line about a process; `announce` runs once the console answers.
    """
    directory = DataDirectory(plan.root)
    with _supervised(directory, say) as supervisor:
        require_free("PORT", plan.bind_address, plan.port)
        _start(plan, directory, supervisor)
        announce()
        supervisor.watch()


def run_services(root: Path, *, account_name: str, say: Callable[[str], None]) -> None:
    """Run PostgreSQL and Valkey alone until a signal. Raises CannotStart with a sentence."""
    directory = DataDirectory(root)
    with _supervised(directory, say) as supervisor:
        _keep_services(supervisor, Services.start(root, account_name=account_name))
        say(f"PostgreSQL and Valkey are running; {directory.record} tells how to reach them.")
        supervisor.watch()


@contextmanager
def _supervised(directory: DataDirectory, say: Callable[[str], None]) -> Iterator[Supervisor]:
    supervisor = Supervisor(say=say)
    with only_one(directory.root) as stopping:
        count = end_orphans(directory)
        if count:
            say(f"Ended {count} processes that an earlier start had left behind.")
        try:
            yield supervisor
        except StopRequested:
            say("Stopping …")
        finally:
            stopping()
            supervisor.stop_all()


def _start(plan: Plan, directory: DataDirectory, supervisor: Supervisor) -> None:
    services = Services.start(
        plan.root,
        account_name=plan.account_name,
        with_database=plan.with_database,
        with_broker=plan.with_broker,
    )
    _keep_services(supervisor, services)
    environment = {
        "OPSCONSOLE_DATA": str(plan.root),
        "BIND_ADDRESS": plan.bind_address,
        "PORT": str(plan.port),
        "PYTHONUNBUFFERED": "1",
        "SANDBOX_URL": services.record.sandbox_url,
        "SANDBOX_WEBHOOK_SECRET": services.record.sandbox_webhook_secret,
    }
    steps.run_together(
        directory, ("migrate",), ("collectstatic", "--noinput"), environment=environment
    )
    if plan.with_demo:
        steps.run_together(directory, ("seed_demo",), environment=environment)
    for child in children(plan, sandbox_port=services.record.sandbox_port):
        launch = partial(_launch, child, directory, environment)
        kept = Kept(
            name=child.name,
            launch=launch,
            process=launch(),
            stop_within_seconds=child.stop_within_seconds,
            stage=child.stage,
        )
        supervisor.keep(kept)
        if child.ready_url:
            _wait_until_ready(child, kept, directory)


def _keep_services(supervisor: Supervisor, services: Services) -> None:
    if services.postgres is not None:
        supervisor.keep(
            Kept(
                name="postgres",
                launch=services.launch_postgres,
                process=services.postgres,
                stop_signal=SIGINT,
                stop_within_seconds=postgres.STOP_WITHIN_SECONDS,
                longest_wait_seconds=SERVERS_LONGEST_WAIT_SECONDS,
            )
        )
    if services.valkey is not None:
        supervisor.keep(
            Kept(
                name="valkey",
                launch=services.launch_valkey,
                process=services.valkey,
                stop_within_seconds=valkey.STOP_WITHIN_SECONDS,
                longest_wait_seconds=SERVERS_LONGEST_WAIT_SECONDS,
            )
        )


def _launch(child: Child, directory: DataDirectory, environment: dict[str, str]) -> processes.Popen:
    return processes.launch(
        list(child.command),
        log=directory.log(child.name),
        environment={**environment, **child.environment},
        mark=directory.root,
    )


def _wait_until_ready(child: Child, kept: Kept, directory: DataDirectory) -> None:
    # A proxy of the environment is for the outside, never for our own address.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < until and kept.process.poll() is None:
        try:
            with opener.open(child.ready_url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise processes.did_not_start(child.name, directory.log(child.name))
