"""Seeds the demo's people and history, once: what is there already is left as it is."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context

from django.db import connection

from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.models import Operation
from opsconsole.demo.between import tell_halt, tell_strange_receipts
from opsconsole.demo.cast import Cast
from opsconsole.demo.people import ensure_agents, ensure_people
from opsconsole.demo.plan import Telling, tellings
from opsconsole.demo.receiver import Sandbox
from opsconsole.demo.record import DemoRecord

# One waits for PostgreSQL while the other computes.
PROCESSES = 3


def ensure_cast(record: DemoRecord) -> Cast:
    """Everybody who plays; new passwords and tokens go into `record`."""
    people = ensure_people(record)
    return Cast(
        people=people,
        agents=ensure_agents(record, people),
        sandbox=Sandbox(record.sandbox_url),
        system=Actor.system("sandbox"),
    )


def tell_history(record: DemoRecord) -> int:
    """Tell what was not told before; returns how many stories. The sandbox must be running."""
    with closing(ensure_cast(record)) as cast:
        tell_halt(cast)
    fresh = untold()
    connection.close()  # no process that is forked off may share it
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:
        shares = [fresh[number::PROCESSES] for number in range(PROCESSES)]
        list(pool.map(partial(tell, record), shares))
    tell_strange_receipts()
    # The sweep that runs every few seconds has its say before anybody looks.
    stall_overdue(limit=1000)
    return len(fresh)


def untold() -> list[Telling]:
    """The stories whose operation is not there yet, the oldest first."""
    known = set(Operation.objects.values_list("environment", "key"))
    return [each for each in tellings() if (each.environment, each.request.key) not in known]


def tell(record: DemoRecord, share: Sequence[Telling]) -> None:
    """Tell these stories, one after the other."""
    _be_quick()
    with closing(ensure_cast(record)) as cast:
        for telling in share:
            telling.tell(telling.story(cast))


def _be_quick() -> None:
    """A seed that is lost in a crash is told again, so its commits need not wait for the disk."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
