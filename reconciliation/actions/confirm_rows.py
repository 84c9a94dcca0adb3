"""Exact matches of a machine's statement that nobody is asked about: many confirmed at once.

Each is judged under its row's lock as `record_receipt` judges one, and leaves the same receipt and
the same entry. Whatever is not plain comes back, to be recorded singly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from django.db import IntegrityError, connection, transaction

from operations import rows
from operations.actions.keep_receipt import receipt_row
from operations.actions.weigh_receipt import confirmation, said_of, weigh_receipt
from operations.audit import Entry, append_entries
from operations.models import Operation, Receipt
from operations.protocol.profiles import Profile
from operations.protocol.states import Channel, State
from operations.protocol.transitions import Event, next_state
from operations.queries.lookup_standings import AnswerAbout, LookupStanding, lookup_standings
from reconciliation.actions.apply_row import machine
from reconciliation.models import AppliedRow, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.queries.weigh_rows import WeighedRow, source_of

# Their rows are locked until the commit; a report waits no longer than that.
AT_ONCE = 250
_UPDATE = """
    UPDATE operations_operation o
    SET state = g.state, grade = g.grade, effect_id = g.effect_id, version = g.version,
        state_since = g.state_since, updated_at = g.updated_at, next_try_at = g.next_try_at,
        claims_without_mark = g.claims_without_mark
    FROM unnest(%(ids)s::uuid[], %(seen)s::bigint[], %(state)s::text[], %(grade)s::text[],
        %(effect_id)s::text[], %(version)s::bigint[], %(state_since)s::timestamptz[],
        %(updated_at)s::timestamptz[], %(next_try_at)s::timestamptz[],
        %(claims_without_mark)s::int[])
        AS g(id, seen, state, grade, effect_id, version, state_since, updated_at, next_try_at,
            claims_without_mark)
    WHERE o.id = g.id AND o.version = g.seen
"""
_CHANGED = (
    "state",
    "grade",
    "effect_id",
    "version",
    "state_since",
    "updated_at",
    "next_try_at",
    "claims_without_mark",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plain:
    """A confirmation to write; the operation's columns are changed in memory already."""

    one: WeighedRow
    operation: Operation
    receipt: Receipt
    state_before: str
    version_before: int


def confirm_rows(*, run: StatementRun, matches: Sequence[WeighedRow]) -> list[WeighedRow]:
    """Confirm those that are plain; the others come back. `matches` are about one operation each.

    Where one of a batch can't be written (its effect was taken meanwhile, its row was done), all
    of that batch come back: done singly, each says for itself.
    """
    singly: list[WeighedRow] = []
    for some in batched(matches, AT_ONCE):
        try:
            with transaction.atomic(durable=True):
                plain = _plain(run, some)
                _write(run, plain)
        except IntegrityError:
            singly += some
        else:
            done = {each.one.row.number for each in plain}
            singly += [one for one in some if one.row.number not in done]
    return singly


def _plain(run: StatementRun, some: Sequence[WeighedRow]) -> list[_Plain]:
    ids = [one.standing.id for one in some if one.standing]
    locked = rows.locked_if_free(Operation, "id = ANY(%(ids)s)", {"ids": ids})
    operations = {operation.pk: operation for operation in locked}
    met = {one.standing.id: one for one in some if one.standing and one.standing.id in operations}
    asked = [
        AnswerAbout(
            operation_id=pk,
            generation=operations[pk].generation,
            effect_id=one.said.effect_id or "",
        )
        for pk, one in met.items()
    ]
    standings = lookup_standings(asked, environment=run.environment, receiver=run.receiver)
    profile = source_of(run.statement).profile
    found = [
        _confirmed(run, one, operations[pk], standings[pk], profile) for pk, one in met.items()
    ]
    return [each for each in found if each is not None]


def _confirmed(
    run: StatementRun,
    one: WeighedRow,
    operation: Operation,
    standing: LookupStanding,
    profile: Profile,
) -> _Plain | None:
    """What the row writes, or None where it is not plain."""
    if standing.is_before_people:
        return None
    before, version, channel, actor = (
        operation.state,
        operation.version,
        Channel.STATEMENT,
        machine(run),
    )
    judgement, follows = weigh_receipt(
        operation,
        one.said,
        profile,
        channel=channel,
        attempt_count=standing.attempt_count,
        is_effect_taken=standing.is_effect_taken,
    )
    if follows.event is not Event.CONFIRM:
        return None
    receipt = receipt_row(
        operation,
        one.said,
        channel=channel,
        raw=one.row.raw,
        actor=actor,
        at=standing.now,
        judgement=judgement,
        follows=follows,
    )
    changes = confirmation(receipt, profile, channel=channel, actor=actor, at=standing.now)
    state = next_state(State(before), Event.CONFIRM)
    changes |= {"state": str(state), "state_since": standing.now, "claims_without_mark": 0}
    changes |= {"version": version + 1, "updated_at": standing.now}
    for name, value in changes.items():
        setattr(operation, name, value)
    return _Plain(
        one=one,
        operation=operation,
        receipt=receipt,
        state_before=before,
        version_before=version,
    )


def _write(run: StatementRun, plain: Sequence[_Plain]) -> None:
    """One statement a table, in the caller's transaction. Raises IntegrityError."""
    if not plain:
        return
    rows.insert_all([each.receipt for each in plain])
    _update(plain)
    append_entries([_entry(run, each) for each in plain])
    AppliedRow.objects.bulk_create(
        AppliedRow(
            run=run,
            number=each.one.row.number,
            outcome=str(Outcome.CONFIRMS),
            receipt=each.receipt,
        )
        for each in plain
    )


def _update(plain: Sequence[_Plain]) -> None:
    values: dict[str, list[Any]] = {
        name: [getattr(each.operation, name) for each in plain] for name in _CHANGED
    }
    values |= {
        "ids": [each.operation.pk for each in plain],
        "seen": [each.version_before for each in plain],
    }
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE, values)
        if cursor.rowcount != len(plain):
            raise IntegrityError(f"{cursor.rowcount} of {len(plain)} rows were as they were read")


def _entry(run: StatementRun, plain: _Plain) -> Entry:
    return Entry(
        about=plain.operation,
        event=str(Event.CONFIRM),
        actor=machine(run),
        at=plain.receipt.received_at,
        before=plain.state_before,
        after=plain.operation.state,
        cause=plain.operation.cause,
        detail=said_of(plain.receipt),
    )
