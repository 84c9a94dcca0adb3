"""Seeds the demo's people and history, once: what is there already is left as it is."""

from contextlib import closing

from django.db import connection

from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.models import Operation
from opsconsole.demo.between import tell_halt, tell_strange_receipts
from opsconsole.demo.cast import Cast
from opsconsole.demo.people import ensure_agents, ensure_people
from opsconsole.demo.plan import tellings
from opsconsole.demo.receiver import Sandbox
from opsconsole.demo.record import DemoRecord


def ensure_cast(record: DemoRecord) -> Cast:
    """Everybody who plays; new passwords and tokens go into `record`."""
    people = ensure_people(record)
    return Cast(
        people=people,
        agents=ensure_agents(record, people),
        sandbox=Sandbox(record.sandbox_url),
        system=Actor.system("sandbox"),
    )


def tell_history(cast: Cast) -> int:
    """Tell every story that was not told before; returns how many. The sandbox must be running."""
    known = set(Operation.objects.values_list("environment", "key"))
    fresh = [each for each in tellings() if (each.environment, each.request.key) not in known]
    _be_quick()
    with closing(cast.sandbox):
        for telling in fresh:
            telling.tell(telling.story(cast))
    tell_halt(cast)
    tell_strange_receipts()
    # The sweep that runs every few seconds has its say before anybody looks.
    stall_overdue(limit=1000)
    return len(fresh)


def _be_quick() -> None:
    """A seed that is lost in a crash is told again, so its commits need not wait for the disk."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
