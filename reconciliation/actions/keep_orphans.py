"""Rows that belong to no operation are kept as unmatched receipts, many at once (rule 4)."""

from collections.abc import Iterator, Sequence
from itertools import batched

from django.db import connection, transaction

from operations import clock
from operations.actions.keep_receipt import unmatched_receipt
from operations.models import Receipt
from reconciliation.models import AppliedRow, StatementRun
from reconciliation.protocol.statements.outcomes import CHANNEL_OF, Outcome, Road
from reconciliation.queries.statement_matching import Place, standings
from reconciliation.queries.weigh_rows import WeighedRow

# Each key is locked until the commit: see hold_key.
AT_ONCE = 500
# In one order everywhere, so that two imports never wait for each other crosswise.
_HOLD_KEYS = """
    SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended(%s || E'\\n' || key, 31) AS lock
        FROM unnest(%s::text[]) AS key ORDER BY lock) AS locks
"""


def keep_orphans(*, run: StatementRun, orphans: Sequence[WeighedRow]) -> list[WeighedRow]:
    """Keep them; those whose operation was registered meanwhile come back.

    Nothing else is both looked for and added while their keys are held. A row that was kept
    already raises IntegrityError, and then none of its batch is.
    """
    met: list[WeighedRow] = []
    for some in batched(orphans, AT_ONCE):
        with transaction.atomic(durable=True):
            found = set(_registered(run, some))
            met += [one for one in some if one.row.number in found]
            _keep(run, [one for one in some if one.row.number not in found])
    return met


def _registered(run: StatementRun, some: Sequence[WeighedRow]) -> Iterator[int]:
    """The numbers of rows whose key has an operation by now."""
    keys = {
        one.row.number: one.content.key
        for one in some
        if one.outcome is Outcome.UNMATCHED and one.content
    }
    if not keys:
        return
    with connection.cursor() as cursor:
        cursor.execute(_HOLD_KEYS, [run.environment, list(keys.values())])
    known = standings(Place(run.environment, run.receiver), set(keys.values()))
    yield from (number for number, key in keys.items() if key in known)


def _keep(run: StatementRun, orphans: Sequence[WeighedRow]) -> None:
    statement, at = run.statement, clock.now()
    receipts = [
        unmatched_receipt(
            one.said,
            environment=run.environment,
            receiver=run.receiver,
            channel=CHANNEL_OF[Road(statement.road)],
            raw=one.row.raw,
            at=at,
            entered_by_id=statement.uploaded_by_id,
        )
        for one in orphans
    ]
    kept = Receipt.objects.bulk_create(receipts)
    AppliedRow.objects.bulk_create(
        AppliedRow(run=run, number=one.row.number, outcome=str(one.outcome), receipt=receipt)
        for one, receipt in zip(orphans, kept, strict=True)
    )
