"""Operations whose lookup is due, and what the scripted receiver will say of each."""

from functools import partial
from typing import Any

from operations.actions.stall_overdue import stall_overdue
from operations.models import Operation
from operations.protocol.payloads import dumps
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_marked_operation, a_receipt, move_back, receive
from tests.reconciliation.actions.scripted import NOT_FOUND, an_unanswered_order
from tests.reconciliation.actions.test_corroboration import report


def tell(scripted, operation: Operation, value: dict[str, Any] | None) -> None:
    """What the receiver will say of it; None for nothing under its key."""
    if value is None:
        scripted.by_key[operation.key] = (404, {}, (NOT_FOUND % operation.key).encode())
    else:
        scripted.by_key[operation.key] = (200, {}, dumps(value).encode())


def found(scripted, **given: Any) -> Operation:
    operation = an_unanswered_order(**given)
    tell(scripted, operation, a_receipt(operation, environment=operation.environment))
    return operation


def says(scripted, *, said: dict[str, Any], **given: Any) -> Operation:
    operation = an_unanswered_order(**given)
    tell(scripted, operation, a_receipt(operation) | said)
    return operation


def absent(scripted, **given: Any) -> Operation:
    operation = an_unanswered_order(**given)
    tell(scripted, operation, None)
    return operation


def raw(scripted, *, answer: tuple[int, dict[str, str], bytes], **given: Any) -> Operation:
    operation = an_unanswered_order(**given)
    scripted.by_key[operation.key] = answer
    return operation


def absent_again(scripted, **given: Any) -> Operation:
    operation = absent(scripted, **given)
    reconcile_operation(operation_id=operation.pk, holder="worker-1")
    move_back(operation, 100_000)
    return operation


def pending_again(scripted, **given: Any) -> Operation:
    """Its record was seen before, and kept; now it is final."""
    operation = says(scripted, said={"status": "pending"}, **given)
    reconcile_operation(operation_id=operation.pk, holder="worker-1")
    move_back(operation, 100)
    tell(scripted, operation, a_receipt(operation))
    return operation


def stalled(scripted, **given: Any) -> Operation:
    operation = found(scripted, **given)
    move_back(operation, 4000)
    assert stall_overdue(limit=10) == 1
    return operation


def with_an_effect_of_another(scripted, **given: Any) -> Operation:
    other, _ = a_marked_operation(**given)
    value = a_receipt(other)
    receive(other, value)
    return says(scripted, said={"effect_id": value["effect_id"]}, **given)


def reported(scripted, *, said: dict[str, Any], **given: Any) -> Operation:
    """Confirmed by its agent's word alone, and due to be borne out."""
    operation, attempt = a_marked_operation(**given)
    value = a_receipt(operation)
    report(operation, attempt.token, value)
    move_back(operation, 5)
    tell(scripted, operation, value | said)
    return operation


def unreported(scripted, **given: Any) -> Operation:
    operation = reported(scripted, said={}, **given)
    tell(scripted, operation, None)
    return operation


SCENES = {
    "found": found,
    "found, with a payload that differs": partial(says, said={"payload": {"sku": "other"}}),
    "found pending": partial(says, said={"status": "pending"}),
    "found refused": partial(says, said={"status": "refused"}),
    "found under another key": partial(says, said={"operation_id": "another"}),
    "found in the other environment": partial(says, said={"environment": "elsewhere"}),
    "found without an effect": partial(says, said={"effect_id": ""}),
    "found, but no receipt": partial(says, said={"status": "perhaps"}),
    "found pending, then final": pending_again,
    "found, its effect taken": with_an_effect_of_another,
    "found, a person asked": stalled,
    "absent": absent,
    "absent again": absent_again,
    "broken": partial(raw, answer=(500, {}, b"no")),
    "unreadable": partial(raw, answer=(200, {}, b"{")),
    "another 404": partial(raw, answer=(404, {}, b"no such page")),
    "asked to wait": partial(raw, answer=(429, {"Retry-After": "50"}, b"")),
    "borne out": partial(reported, said={}),
    "borne out by less": partial(reported, said={"payload": None}),
    "contradicted by another effect": partial(reported, said={"effect_id": "another"}),
    "contradicted by absence": unreported,
}
