"""A dry run of a statement: every row beside the record, and nothing of an operation changed."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from operations import clock, hints
from operations.actors import Actor
from operations.protocol.words import storable
from reconciliation.actions.hold_run import go_on
from reconciliation.actions.statement_lock import lock_statement
from reconciliation.actions.void_proposal import void_proposal
from reconciliation.models import Statement, StatementRun
from reconciliation.protocol.statements.passes import GOING_ON, Purpose
from reconciliation.protocol.statements.profile import StatementProfile, form_digest
from reconciliation.protocol.statements.rows import Mistake, Row
from reconciliation.queries.statement_matching import earlier_rows, settled_above
from reconciliation.queries.weigh_rows import (
    WeighedRow,
    contents_of,
    occurrences,
    source_of,
    standings_of,
    weigh_rows,
)

ACTOR = Actor.system("rehearse_statement")
SHOWN_DIFFERENCES = 20
_INSERT = """
    INSERT INTO reconciliation_statementrow (
        run_id, number, line, outcome, key, effect_id, fingerprint, occurrence, operation_id,
        version_seen, detail)
    SELECT %(run)s, found.* FROM unnest(
        %(number)s::bigint[], %(line)s::bigint[], %(outcome)s::text[], %(key)s::text[],
        %(effect_id)s::text[], %(fingerprint)s::uuid[], %(occurrence)s::int[],
        %(operation_id)s::uuid[], %(version_seen)s::bigint[], %(detail)s::jsonb[]) AS found
"""


def rehearse_statement(
    *, statement: Statement, profile: StatementProfile, actor: Actor = ACTOR
) -> StatementRun:
    """A dry run that waits for a worker; the one under way where there is one.

    A proposal that rests on an older one is void by that: nobody agreed to the totals to come.
    """
    with transaction.atomic():
        lock_statement(statement.pk)
        return _under_way(statement, profile) or _begun(statement, profile, actor)


def _under_way(statement: Statement, profile: StatementProfile) -> StatementRun | None:
    under_way = StatementRun.objects.filter(
        statement=statement, purpose=Purpose.REHEARSE, status__in=GOING_ON
    )
    run = under_way.order_by("-id").first()
    return run if run is not None and run.form == form_digest(profile) else None


def _begun(statement: Statement, profile: StatementProfile, actor: Actor) -> StatementRun:
    at = clock.now()
    run = StatementRun.objects.create(
        statement=statement,
        purpose=Purpose.REHEARSE,
        environment=statement.environment,
        receiver=statement.receiver,
        digest=statement.digest,
        form=form_digest(profile),
        opened_at=at,
    )
    void_proposal(statement=statement, actor=actor, at=at)
    hints.statement_soon(run.pk)
    return run


def rehearse_rows(*, run: StatementRun, rows: Sequence[Row]) -> None:
    """Compare a batch of rows, and keep what each came to together with how far the run is.

    Raises RunLost; then nothing is kept.
    """
    source = source_of(run.statement)
    contents = contents_of(rows)
    known = standings_of(contents, source)
    effects = {content.effect_id for content in contents.values()} - {""}
    fingerprints = {content.fingerprint for content in contents.values()}
    weighed = weigh_rows(
        rows,
        source,
        contents=contents,
        occurrence_of=occurrences(contents, earlier_rows(run.pk, fingerprints)),
        known=known,
        settled=settled_above(run.pk, [each.id for each in known.values()], effects),
    )
    with transaction.atomic(durable=True):
        go_on(run, rows[-1].place, Counter(str(one.outcome) for one in weighed))
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, {"run": run.pk, **_columns(weighed)})


def _columns(weighed: Sequence[WeighedRow]) -> dict[str, list[Any]]:
    rows = [_values(one) for one in weighed]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _values(one: WeighedRow) -> dict[str, Any]:
    content, standing = one.content, one.standing
    detail = _detail(one)
    return {
        "number": one.row.number,
        "line": one.row.line,
        "outcome": str(one.outcome),
        "key": content.key if content else "",
        "effect_id": content.effect_id if content else "",
        "fingerprint": content.fingerprint if content else None,
        "occurrence": one.occurrence,
        "operation_id": standing.id if standing else None,
        "version_seen": standing.version if standing else None,
        "detail": Jsonb(detail) if detail else None,
    }


def _detail(one: WeighedRow) -> dict[str, Any] | None:
    """What a person reads of a row that is no plain match."""
    if isinstance(one.row.value, Mistake):
        return {name: storable(text) for name, text in one.row.value._asdict().items()}
    if not one.differences:
        return None
    shown = one.differences[:SHOWN_DIFFERENCES]
    told = [{name: storable(text) for name, text in each._asdict().items()} for each in shown]
    return {"differences": told, "count": len(one.differences)}
