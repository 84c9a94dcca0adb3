"""The two embedded servers as one thing that starts and stops."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from opsconsole.embedded import orphans, postgres, valkey
from opsconsole.embedded.account import Account, servers_account
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.postgres import Cluster
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.roles import ensure_roles


@dataclass(slots=True, kw_only=True)
class Services:
    """Running servers with the record that reaches them."""

    directory: DataDirectory
    account: Account | None
    cluster: Cluster
    record: ServersRecord
    postgres: subprocess.Popen[bytes]
    valkey: subprocess.Popen[bytes] | None

    @classmethod
    def start(
        cls,
        root: Path,
        *,
        account_name: str = "nobody",
        is_durable: bool = True,
        with_broker: bool = True,
    ) -> Self:
        """Start what is embedded on this data, making it on the first start.

        Raises CannotStart with a sentence. Call from the main thread: the servers end with it.
        """
        directory = DataDirectory(root)
        directory.prepare()
        account = servers_account(
            account_name, must_reach=[directory.root, postgres.binaries(), valkey.binary()]
        )
        cluster = Cluster(directory=directory, account=account, is_durable=is_durable)
        record = _record(directory, cluster)
        orphans.end_orphan_postgres(directory)
        if not cluster.has_data():
            cluster.create(record)
        server = cluster.start(Path(record.socket_directory))
        broker = None
        try:
            broker = valkey.start(directory, account, record) if with_broker else None
            cluster.wait_until_ready(server, record)
            ensure_roles(record)
            if broker is not None:
                valkey.wait_until_ready(broker, directory, record)
        except BaseException:
            _stop(server, broker)
            raise
        return cls(
            directory=directory,
            account=account,
            cluster=cluster,
            record=record,
            postgres=server,
            valkey=broker,
        )

    def stop(self) -> None:
        """Stop both, the database last."""
        _stop(self.postgres, self.valkey)


def _record(directory: DataDirectory, cluster: Cluster) -> ServersRecord:
    record = ServersRecord.load(directory.record)
    if record is None:
        if cluster.has_data():
            raise CannotStart(
                f"{directory.record}: expected the passwords that {directory.postgres} was made "
                "with; the file is gone. Restore it, or move that folder away to start afresh."
            )
        record = ServersRecord.fresh()
    sockets = postgres.socket_directory(directory, cluster.account, kept=record.socket_directory)
    port = valkey.free_port(kept=record.broker_port)
    record = record.at(socket_directory=sockets, broker_port=port)
    record.save(directory.record)
    return record


def _stop(server: subprocess.Popen[bytes], broker: subprocess.Popen[bytes] | None) -> None:
    if broker is not None:
        valkey.stop(broker)
    postgres.stop(server)
