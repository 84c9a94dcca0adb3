"""PostgreSQL, the receiver and this process as one of the console's own: shared by campaigns."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from opsconsole.embedded.record import DATABASE, ServersRecord
from reconciliation.sandbox.process import SandboxProcess
from tests.campaigns.harness.children import Child, ChildEnd
from tests.campaigns.harness.invariants import Findings, examine
from tests.campaigns.harness.ledger import Ledger, Place
from tests.database import empty_tables_as_superuser, migrated_server
from tests.receiver import configure

# Workers are killed and receivers fail by the hundred here, and each flow is about something else.
WIDE_GATE = {"lookups_at_once": 10_000, "circuit_after_failures": 10_000}


class Rig:
    """Django is set up here and connected as the run-time role, so that builders work.

    `sandbox` is a process of its own behind the receiver `sandbox`, with times of seconds.
    """

    def __init__(self, record: ServersRecord, sandbox: SandboxProcess) -> None:
        self.record = record
        self.sandbox = sandbox
        self._first_request: dict[Place, int] = {}
        self._first_effect: dict[Place, int] = {}

    @property
    def superuser_url(self) -> str:
        """For the checker, and for letting time pass; never for the product."""
        return self.record.superuser_url(DATABASE)

    def empty(self) -> None:
        """No operation on record; what the receiver did until now is not counted any more."""
        connection.close()
        empty_tables_as_superuser(self.record)
        ledger = Ledger.read(self.sandbox.store)
        self._first_request, self._first_effect = dict(ledger.requests), dict(ledger.effects)
        configure(settings, url=self.sandbox.url, **WIDE_GATE)  # type: ignore[arg-type]

    def ledger(self) -> Ledger:
        """The receiver's requests and effects since `empty`."""
        now = Ledger.read(self.sandbox.store)
        return Ledger(
            _since(now.requests, self._first_request), _since(now.effects, self._first_effect)
        )

    def start(self, act: Callable[[], Any]) -> Child:
        """Fork a child that runs `act`."""
        return Child(act)

    def child(self, act: Callable[[], Any]) -> ChildEnd:
        """Fork a child, let it run `act`, and wait for its end."""
        return Child(act).end()

    def examine(self, **options: Any) -> Findings:
        """The invariants over the whole record, against the receiver's ledger."""
        return examine(self.superuser_url, ledger=self.ledger(), **options)


@contextmanager
def rig() -> Iterator[Rig]:
    """Start both, and stop both at the end. Django's settings must be `tests.settings`."""
    with ExitStack() as stack:
        record = stack.enter_context(migrated_server(Path(settings.OPSCONSOLE_DATA)))
        sandbox = stack.enter_context(SandboxProcess())
        yield Rig(record, sandbox)


def _since(now: Any, first: dict[Place, int]) -> dict[Place, int]:
    grown = {place: count - first.get(place, 0) for place, count in now.items()}
    return {place: count for place, count in grown.items() if count}
