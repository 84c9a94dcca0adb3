"""Healing: time passes and the sweeps run, until nothing is due any more."""

from datetime import timedelta

from django.db import connection

from operations import clock
from operations.actions.dispatch_operation import dispatch_operation
from operations.actions.expire_approvals import expire_approvals
from operations.actions.expire_claims import expire_claims
from operations.actions.stall_overdue import stall_overdue
from operations.queries.due import due_for_dispatch, due_for_reconcile
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.database import as_superuser

BATCH = 10_000
# Longer than every lease, send deadline, delay and look-up interval of the campaigns' receivers.
STEP_SECONDS = 120
ROUNDS = 12

# Every instant that a rule compares with the clock.
INSTANTS = {
    "operations_operation": (
        "created_at",
        "updated_at",
        "state_since",
        "claim_taken_at",
        "claim_expires_at",
        "next_try_at",
        "review_expires_at",
        "could_not_ask_since",
    ),
    "operations_attempt": ("marked_at", "send_deadline_at"),
    "operations_lookup": ("asked_at", "answered_at"),
    "operations_claim": ("taken_at", "expires_at"),
    "operations_review": ("opened_at",),
    "operations_attemptend": ("at",),
    "operations_sendergone": ("at",),
    "reconciliation_lookupgate": (
        "last_error_at",
        "opened_at",
        "open_until",
        "probe_ends_at",
        "held_until",
        "next_ask_at",
    ),
}
APPROVALS = {"operations_approval": ("opened_at", "expires_at", "valid_until", "decided_at")}


class NotSettling(AssertionError):
    """After all rounds something was still due: it is tried for ever."""


def settle(*, step_seconds: int = STEP_SECONDS, approvals_age: bool = False) -> int:
    """Run the sweeps and let time pass until a round changes nothing; returns the rounds.

    Raises NotSettling when the last round still changed something: then it would go on for ever.
    Look-ups that go on at intervals while a person is already asked are not waited for.
    """
    before = _record()
    for number in range(1, ROUNDS + 1):
        let_time_pass(step_seconds, approvals_age=approvals_age)
        sweep()
        after = _record()
        if after == before and not due_for_dispatch(now=clock.now(), limit=1):
            return number
        before = after
    raise NotSettling(f"after {ROUNDS} rounds of {step_seconds} s something still changes")


def sweep() -> None:
    """What beat and the workers do, once, in this process."""
    expire_claims(limit=BATCH)
    expire_approvals(limit=BATCH)
    for operation_id in due_for_dispatch(now=clock.now(), limit=BATCH):
        dispatch_operation(operation_id=operation_id, holder="healer")
    for operation_id in due_for_reconcile(now=clock.now(), limit=BATCH):
        reconcile_operation(operation_id=operation_id, holder="healer")
    stall_overdue(limit=BATCH)


def _record() -> list[tuple[object, ...]]:
    """What a round may change: versions and open reviews."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.id, o.version, o.state, (SELECT count(*) FROM operations_review r"
            " WHERE r.operation_id = o.id AND r.closed_at IS NULL)"
            " FROM operations_operation o ORDER BY o.id"
        )
        return list(cursor.fetchall())


def let_time_pass(seconds: int, *, approvals_age: bool = False) -> None:
    """Place every instant on record so far in the past, as a superuser with no trigger could."""
    step = timedelta(seconds=seconds)
    tables = {**INSTANTS, **(APPROVALS if approvals_age else {})}
    with as_superuser(connection) as cursor:
        for table, names in tables.items():
            sets = ", ".join(f"{name} = {name} - %(step)s" for name in names)
            cursor.execute(f"UPDATE {table} SET {sets}", {"step": step})
