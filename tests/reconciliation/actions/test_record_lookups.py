"""Many answers that are written together leave behind what each leaves when it is alone."""

import math
import re
from typing import Any

import pytest

from operations.models import Operation
from operations.protocol.states import Grade, State
from operations.queries.audit_proof import prove_all
from operations.registry import receiver as configured
from reconciliation.actions.reconcile_due import reconcile_due
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.receiver import configure
from tests.reconciliation.actions.scenes import SCENES, found
from tests.reconciliation.actions.scripted import scripted_fixture

__all__ = ["scripted_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


@pytest.mark.parametrize("quarantine_seconds", [1, 3600])
@pytest.mark.parametrize("scene", SCENES)
def test_what_many_leave_behind_is_what_one_leaves(scripted, settings, scene, quarantine_seconds):
    configure(settings, delivery_delay_seconds=quarantine_seconds)
    alone = SCENES[scene](scripted, environment="staging")
    assert reconcile_operation(operation_id=alone.pk, holder="worker-2") is Reconciled.LOOKED_UP
    beside = [found(scripted), SCENES[scene](scripted, environment="production"), found(scripted)]
    assert reconcile_due(config=configured("sandbox", "production"), holder="worker-2") == 3
    assert left_by(beside[1]) == left_by(alone)
    for operation in (beside[0], beside[2]):
        operation.refresh_from_db()
        assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert prove_all().is_whole


def left_by(operation: Operation) -> dict[str, Any]:
    """Everything on record of it, but for ids, instants and its own name."""
    operation.refresh_from_db()
    lookup = operation.lookups.latest("pk")
    pause = operation.next_try_at and (operation.next_try_at - lookup.answered_at).total_seconds()
    return {
        "row": told(
            operation,
            "state grade version claims_without_mark claim_given_back",
            bool(operation.effect_id),
            operation.could_not_ask_since == lookup.asked_at,
            operation.state_since >= lookup.asked_at,
            operation.updated_at >= lookup.asked_at,
        ),
        "pause": pause and _doublings(pause),
        "entries": [
            told(
                each,
                "event state_before state_after version generation cause actor_kind",
                bool(each.token),
                each.actor_kind == "agent" or each.actor_id,
                named(operation, each.detail),
            )
            for each in operation.audit_entries.order_by("seq")
        ],
        "lookups": [
            told(
                each,
                "generation result status",
                bool(each.receipt),
                bool(each.token),
                bool(each.raw),
                named(operation, each.detail),
            )
            for each in operation.lookups.order_by("pk")
        ],
        "receipts": [
            told(
                each,
                "channel status verdict generation not_compared needs_explanation is_stale",
                bool(each.token),
                bool(each.payload_text),
                bool(each.payload_digest),
                named(operation, each.differences),
            )
            for each in operation.receipts.order_by("pk")
        ],
        "claims": [told(each, "purpose end slot") for each in operation.claims.order_by("pk")],
        "reviews": [
            told(each, "question", bool(each.closed_at))
            for each in operation.reviews.order_by("pk")
        ],
    }


def told(row: Any, names: str, *more: Any) -> tuple[Any, ...]:
    """Some columns of a row."""
    return (*(getattr(row, name) for name in names.split()), *more)


def _doublings(pause_seconds: float) -> int:
    """How often the interval of a second was doubled; jitter adds up to a quarter."""
    return round(math.log2(pause_seconds / 1.125))


def named(operation: Operation, value: Any) -> Any:
    """The same without what is its own: keys, effects, numbers and instants."""
    if isinstance(value, dict):
        own = {"effect_id", "receipt", "lookup", "holder", "request_digest"}
        own |= {name for name in value if name.endswith("_at")}
        return {
            name: bool(each) if name in own else named(operation, each)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [named(operation, each) for each in value]
    text = str(value).replace(operation.key, "KEY").replace(operation.environment, "HERE")
    text = re.sub(r"([-0-9]{10} )?[0-9]{2}:[0-9]{2}:[0-9]{2}", "THEN", text)
    return text if "eff-" not in text else "an effect"
