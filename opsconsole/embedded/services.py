"""The embedded servers as one thing that starts and stops; either of them may be someone else's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from opsconsole.embedded import orphans, postgres, processes, valkey
from opsconsole.embedded.account import Account, servers_account
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.ports import free_port
from opsconsole.embedded.postgres import Cluster
from opsconsole.embedded.record import ServersRecord
from opsconsole.embedded.roles import ensure_roles


@dataclass(slots=True, kw_only=True)
class Services:
    """Running servers with the record that reaches them; None for one that is not ours."""

    directory: DataDirectory
    account: Account | None
    cluster: Cluster
    record: ServersRecord
    postgres: processes.Popen | None = None
    valkey: processes.Popen | None = None

    @classmethod
    def start(
        cls,
        root: Path,
        *,
        account_name: str = "nobody",
        is_durable: bool = True,
        with_database: bool = True,
        with_broker: bool = True,
    ) -> Self:
        """Start what is embedded on this data, making it on the first start.

        Raises CannotStart with a sentence. Call from the main thread: the servers end with it.
        """
        directory = DataDirectory(root)
        directory.prepare()
        reached = [directory.root, postgres.binaries(), valkey.binary()]
        needs_account = with_database or with_broker
        account = servers_account(account_name, must_reach=reached) if needs_account else None
        cluster = Cluster(directory=directory, account=account, is_durable=is_durable)
        record = _record(directory, cluster)
        services = cls(directory=directory, account=account, cluster=cluster, record=record)
        try:
            services._start_servers(with_database=with_database, with_broker=with_broker)
        except BaseException:
            services.stop()
            raise
        return services

    def launch_postgres(self) -> processes.Popen:
        """Start PostgreSQL on its data, whatever an earlier one left there."""
        orphans.end_orphan_postgres(self.directory)
        return self.cluster.start(Path(self.record.socket_directory))

    def launch_valkey(self) -> processes.Popen:
        """Start Valkey, empty."""
        return valkey.start(self.directory, self.account, self.record)

    def stop(self) -> None:
        """Stop what is ours, the database last."""
        if self.valkey is not None:
            valkey.stop(self.valkey)
        if self.postgres is not None:
            postgres.stop(self.postgres)

    def _start_servers(self, *, with_database: bool, with_broker: bool) -> None:
        if with_broker:
            self.valkey = self.launch_valkey()
        if with_database:
            if not self.cluster.has_data():
                self.cluster.create(self.record)
            self.postgres = self.launch_postgres()
            self.cluster.wait_until_ready(self.postgres, self.record)
            ensure_roles(self.record)
        if self.valkey is not None:
            valkey.wait_until_ready(self.valkey, self.directory, self.record)


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
    record = record.at(
        socket_directory=sockets,
        broker_port=free_port(kept=record.broker_port),
        sandbox_port=free_port(kept=record.sandbox_port),
    )
    record.save(directory.record)
    return record
