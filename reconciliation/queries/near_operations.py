"""Operations that a receipt of no operation may mean: a fixed number of indexed questions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from operations.models import Operation, Receipt
from operations.protocol.kinds import money
from operations.protocol.payloads import digest, parse_json
from operations.protocol.states import State
from operations.registry import configuration_of
from reconciliation.protocol.near_keys import Nearness, nearness, variants

# How many keys before and after its own in their order, and how many of each state's newest.
NEIGHBOURS = 20
NEWEST = 500
SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class NearOperation:
    """One operation and all that it has in common with the receipt; at least one thing."""

    operation: Operation
    has_effect: bool
    has_payload: bool
    nearness: Nearness | None


def near_operations(receipt: Receipt) -> list[NearOperation]:
    """At most ten of the receipt's environment and receiver, the likeliest first.

    Found by its effect id; by its payload among the newest 500 of each state; by a key that
    resembles its own among the variants of it and the 20 before and after it.
    """
    found: dict[object, NearOperation] = {}
    digests = _digests(receipt)
    for rows in _candidates(receipt, digests):
        for row in rows:
            near = _judged(row, receipt, digests)
            if near is not None:
                found[row.pk] = near
    return sorted(found.values(), key=_rank)[:SHOWN]


def _judged(row: Operation, receipt: Receipt, digests: Sequence[str]) -> NearOperation | None:
    near = NearOperation(
        operation=row,
        has_effect=bool(receipt.effect_id) and row.effect_id == receipt.effect_id,
        has_payload=row.payload_digest in digests,
        nearness=nearness(receipt.operation_key, row.key),
    )
    return near if near.has_effect or near.has_payload or near.nearness else None


def _rank(near: NearOperation) -> tuple[bool, bool, int, str]:
    order = list(Nearness)
    place = order.index(near.nearness) if near.nearness else len(order)
    return not near.has_effect, not near.has_payload, place, near.operation.key


def _candidates(receipt: Receipt, digests: Sequence[str]) -> Iterator[Iterable[Operation]]:
    there = Operation.objects.filter(environment=receipt.environment)
    at_receiver = Q(receiver=receipt.receiver)
    shown = ("key", "title", "state", "grade", "effect_id", "payload_digest", "receiver")
    if receipt.effect_id:
        told = there.filter(at_receiver, effect_id=receipt.effect_id).exclude(effect_id="")
        yield told.only(*shown)
    if digests:
        alike = there.filter(at_receiver, pk__in=_newest(), payload_digest__in=digests)
        yield alike.only(*shown)
    key = receipt.operation_key
    yield there.filter(at_receiver, key__in=variants(key)).only(*shown)
    # One question for each side: asked for together they would be looked for in every row.
    yield _of_receiver(receipt, there.filter(key__gt=key).order_by("key").only(*shown))
    yield _of_receiver(receipt, there.filter(key__lt=key).order_by("-key").only(*shown))


def _of_receiver(receipt: Receipt, beside: QuerySet[Operation]) -> Iterator[Operation]:
    """The next few keys of the environment; those of another receiver are left out after."""
    return (row for row in beside[:NEIGHBOURS] if row.receiver == receipt.receiver)


def _newest() -> QuerySet[Operation, Any]:
    """The ids of the newest of each state, each read off the index of that state."""
    first, *others = (
        Operation.objects.filter(state=state).order_by("-created_at", "-id").values("pk")[:NEWEST]
        for state in State
    )
    return first.union(*others, all=True)


def _digests(receipt: Receipt) -> list[str]:
    """The digests that an operation with the receipt's payload may have: by no amount, and by the
    amount that each configured kind reads off it."""
    if not receipt.payload_text:
        return []
    text = receipt.payload_text
    payload = parse_json(text, max_bytes=len(text) * 4, max_depth=100, keeps_any_text=True)
    kinds = configuration_of(receipt.environment).kinds.values()
    amounts = {money(kind, payload) for kind in kinds}
    return sorted({digest(payload, money=amount) for amount in {None, *amounts}})
