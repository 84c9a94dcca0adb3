"""The console of the soak: every connection that its faults cut goes through a relay of ours."""

from contextlib import ExitStack
from pathlib import Path

from opsconsole.embedded.directory import DataDirectory
from tests.campaigns.harness.proxy import Proxy, of_database, through
from tests.campaigns.soak.errands import CONFIGURATION
from tests.campaigns.surroundings.site import Site

# A receiver that was away for a while acts on what it holds once it is back, within its promise.
TIMES = (
    ("delivery_delay_seconds", 2, 3),
    ("delivery_delay_seconds", 20, 4),
    ("send_within_seconds", 10, 3),
)
# `up` waits up to 30 s for a process that crashes again and again, as all do here.
LONGEST_WAIT_SECONDS = 3.0
# The longest send deadline, delivery delay and lookup lag of its receivers, one after the other.
QUARANTINE_SECONDS = 3 + 4 + 1


class SoakSite(Site):
    """`to_agents` leads to web, `to_receiver` to the sandbox, `to_database` to PostgreSQL."""

    to_agents: Proxy
    to_receiver: Proxy
    to_database: Proxy

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._relays = ExitStack()

    def begin(self) -> None:
        """Start everything."""
        self.to_agents = self._relay(("127.0.0.1", self.port))
        self.start(prepare=_configure)
        for kept in self._supervisor.kept:
            kept.longest_wait_seconds = min(kept.longest_wait_seconds, LONGEST_WAIT_SECONDS)

    def stop(self) -> None:
        """Stop the relays too."""
        super().stop()
        self._relays.close()

    def environment(self) -> dict[str, str]:
        """The console's own, by way of the relays."""
        if not hasattr(self, "to_database"):
            self.to_database = self._relay(of_database(self.services.record.database_url))
            self.to_receiver = self._relay(("127.0.0.1", self.services.record.sandbox_port))
        return super().environment() | {
            "DATABASE_URL": through(self.services.record.database_url, self.to_database),
            "SANDBOX_URL": f"http://127.0.0.1:{self.to_receiver.port}",
        }

    @property
    def relays(self) -> tuple[Proxy, Proxy, Proxy]:
        """All of them."""
        return self.to_agents, self.to_receiver, self.to_database

    @property
    def is_whole(self) -> bool:
        """Whether every process of the console runs."""
        return all(kept.process.poll() is None for kept in self._supervisor.kept)

    def _relay(self, target: object) -> Proxy:
        return self._relays.enter_context(Proxy(target, remembers=False))  # type: ignore[arg-type]


def _configure(directory: DataDirectory) -> None:
    path = directory.root / "opsconsole.toml"
    text = path.read_text()
    for name, seconds, now in TIMES:
        assert f"\n{name} = {seconds}\n" in text
        text = text.replace(f"\n{name} = {seconds}\n", f"\n{name} = {now}\n", 1)
    path.write_text(text + CONFIGURATION)
