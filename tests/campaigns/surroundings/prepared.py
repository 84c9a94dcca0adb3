"""A console's data, made once and copied for each campaign: that saves initdb and migrations."""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.services import Services
from opsconsole.embedded.steps import run_together

PROJECT = Path(__file__).resolve().parents[3]
SWEEP_SECONDS = 1
PREPARED = "OPSCONSOLE_PREPARED_FOR_CAMPAIGNS"
# In the order of opsconsole.toml, where the sandbox comes first. A quarantine takes 5 s here.
SHORTER = (
    ("lookup_lag_seconds", 2, 1),
    ("delivery_delay_seconds", 15, 2),
    ("send_within_seconds", 8, 3),
    ("lookup_interval_seconds", 3, 1),
)
# Killed workers keep their places until their leases end, and receivers are away all the time: a
# gate as narrow as the product's would have healing wait for it instead of for the record.
WIDER = "lookup_interval_seconds = 1\nlookups_at_once = 50\ncircuit_pause_seconds = 2\n"


@cache
def prepared() -> Path:
    """A console's data with a migrated database and the demo's people; made once a process.

    A process that another campaign started takes what was made there, named in PREPARED.
    """
    if PREPARED in os.environ:
        return Path(os.environ[PREPARED])
    folder = tempfile.TemporaryDirectory(prefix="opsconsole-prepared-")
    _KEPT.append(folder)
    folder_path = Path(folder.name)
    folder_path.chmod(0o711)  # as root, the servers' account passes through
    directory = DataDirectory(folder_path / "data")
    directory.prepare()
    (directory.root / "opsconsole.toml").write_text(_configuration())
    services = Services.start(directory.root, with_broker=False)
    try:
        environment = console_environment(directory, services.record, port=0) | {"PORT": "8000"}
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


def _configuration() -> str:
    text = (PROJECT / "opsconsole.toml").read_text()
    for name, seconds, shorter in SHORTER:
        assert f"{name} = {seconds}\n" in text
        text = text.replace(f"{name} = {seconds}\n", f"{name} = {shorter}\n", 1)
    return text.replace("lookup_interval_seconds = 1\n", WIDER, 1)


def console_environment(
    directory: DataDirectory, record: ServersRecord, *, port: int
) -> dict[str, str]:
    """What its processes are given; a test run's own settings are overwritten."""
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
