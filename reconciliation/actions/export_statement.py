"""Who downloads a statement whole takes a receiver's record out of the console: that is kept."""

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from reconciliation.models import Statement


@transaction.atomic
def export_statement(*, statement: Statement, actor: Actor) -> None:
    """Its entry, written before the first byte leaves."""
    append_entry(
        about=None,
        stream=RECEIVERS,
        event="export_statement",
        actor=actor,
        at=clock.now(),
        reason="",
        detail={
            "statement": statement.pk,
            "environment": statement.environment,
            "receiver": statement.receiver,
            "digest": statement.digest,
            "bytes": statement.size_bytes,
        },
    )
