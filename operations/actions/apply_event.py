"""The one place that changes an operation's state, together with its audit entry."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection

from operations import rows
from operations.actors import Actor
from operations.audit import append_entry
from operations.models import Operation
from operations.protocol.refusals import NotFound, StaleVersion
from operations.protocol.states import State
from operations.protocol.transitions import Event, next_state


def lock_operation(operation_id: UUID) -> Operation:
    """The operation, its row locked until the transaction ends. Raises NotFound."""
    found = rows.locked(Operation, "id = %s", [operation_id])
    if found is None:
        raise NotFound(what="operation", got=str(operation_id))
    return found


def require_version(operation: Operation, version: int | None) -> None:
    """Rule 8: a change carries the version its maker saw. Raises StaleVersion."""
    if version is not None and operation.version != version:
        raise StaleVersion(expected=operation.version, got=version, operation_id=operation.pk)


def apply_event(
    operation: Operation,
    event: Event,
    *,
    actor: Actor,
    at: datetime,
    changes: Mapping[str, Any] | None = None,
    only_if: Mapping[str, Any] | None = None,
    token: int | None = None,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Move the state as the table says and write the entry, in the caller's transaction.

    One conditional UPDATE on the version read; `changes` are further columns by field or column
    name, `only_if` further conditions such as {"claim_token =": 7}. Raises IllegalTransition when
    the table forbids it, StaleVersion when the row is no longer as read or `only_if` fails.
    """
    before = State(operation.state)
    after = next_state(before, event)
    values = {"state": str(after), "state_since": at, "claims_without_mark": 0, **(changes or {})}
    _write(operation, values, at=at, only_if=only_if)
    append_entry(
        about=operation,
        event=str(event),
        actor=actor,
        at=at,
        before=before,
        after=after,
        token=token,
        cause=operation.cause,
        reason=reason,
        detail=detail,
    )


def record_change(
    operation: Operation,
    event: str,
    *,
    actor: Actor,
    at: datetime,
    changes: Mapping[str, Any] | None = None,
    bumps_version: bool = True,
    token: int | None = None,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """A change that leaves the state as it is: a review, a receipt, an approval, a claim.

    The version grows unless `bumps_version` is off (claims, renewals, empty lookups).
    """
    if bumps_version:
        _write(operation, dict(changes or {}), at=at, only_if=None)
    elif changes:
        Operation.objects.filter(pk=operation.pk).update(**changes)
        _assign(operation, dict(changes))
    append_entry(
        about=operation,
        event=event,
        actor=actor,
        at=at,
        before=operation.state,
        after=operation.state,
        token=token,
        reason=reason,
        detail=detail,
    )


def _write(
    operation: Operation,
    values: dict[str, Any],
    *,
    at: datetime,
    only_if: Mapping[str, Any] | None,
) -> None:
    """One conditional UPDATE. Written by hand: every operation passes here several times."""
    seen = operation.version
    values = {**values, "version": seen + 1, "updated_at": at}
    conditions = {"id =": operation.pk, "version =": seen, **(only_if or {})}
    sets = ", ".join(f"{_column(name)} = %s" for name in values)
    where = " AND ".join(f"{condition} %s" for condition in conditions)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE operations_operation SET {sets} WHERE {where}",  # noqa: S608  names are ours
            [*values.values(), *conditions.values()],
        )
        if cursor.rowcount != 1:
            raise StaleVersion(
                expected=f"{seen}, unchanged", got="a row that moved on", operation_id=operation.pk
            )
    _assign(operation, values)


@cache
def _column(name: str) -> str:
    """The column of an updatable field; a name that is not one is a mistake of ours."""
    field = Operation._meta.get_field(name)  # noqa: SLF001  Django's public name for it
    return connection.ops.quote_name(str(getattr(field, "column", name)))


def _assign(operation: Operation, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(operation, name, value)
