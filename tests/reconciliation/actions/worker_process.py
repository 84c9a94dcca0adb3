"""Workers in processes of their own, which really die, or are cut off, on the way."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from pytest_django.fixtures import Settings

from operations.models import Operation
from reconciliation.sandbox.process import SandboxProcess

ROOT = Path(__file__).resolve().parents[3]


def start_worker(
    sandbox: SandboxProcess, point: str, operation: Operation, settings: Settings, **also: str
) -> "subprocess.Popen[bytes]":
    """Start one that works on this operation; `also` goes into its environment.

    The points are those of dying_worker. One that does not die ends with its outcome on stderr.
    """
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
        "OPSCONSOLE_DATA": str(settings.OPSCONSOLE_DATA),
        "CELERY_BROKER_URL": "memory://",
        "SANDBOX_URL": sandbox.url,
        **also,
    }
    command = [sys.executable, "-m", "tests.reconciliation.actions.dying_worker", point]
    return subprocess.Popen(
        [*command, str(operation.pk)], cwd=ROOT, env=environment, stderr=subprocess.PIPE
    )


def let_a_worker_die(
    sandbox: SandboxProcess, point: str, operation: Operation, settings: Settings, **also: str
) -> None:
    """Start one and see it killed at that point."""
    worker = start_worker(sandbox, point, operation, settings, **also)
    _, words = worker.communicate(timeout=60)
    assert worker.returncode == -signal.SIGKILL, words.decode()
    operation.refresh_from_db()


def end(worker: "subprocess.Popen[bytes]") -> None:
    """End one that a failed test left behind."""
    worker.kill()
    worker.communicate(timeout=60)


def last_words(worker: "subprocess.Popen[bytes]") -> str:
    """What one that was not killed said at its end: its outcome, or the error that ended it."""
    _, words = worker.communicate(timeout=60)
    return [line for line in words.decode().splitlines() if line and not line[0].isspace()][-1]
