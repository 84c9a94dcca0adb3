"""All effects that were named for one operation, and all attempts: a fixed number of queries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from operations.models import Attempt, AttemptEnd, Operation, Receipt
from operations.protocol.facts import Facts
from operations.protocol.states import Executor, LookupResult, ReceiptStatus
from operations.queries.dossier import Dossier
from operations.registry import configuration_of, profile_of
from reconciliation.models import Certification
from reconciliation.protocol.certification import Finding, Probe
from reconciliation.protocol.effects import Effect, Probed, Scene, Send

# The oldest of each are read; a page with more is not read by a person.
ATTEMPTS, RECEIPTS = 50, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One effect id with its receipts, the oldest first, and the operation that it confirmed."""

    effect: Effect
    receipts: Sequence[Receipt]
    confirmed: Operation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Attempts with their claims, effects, and the scene that the hypotheses are judged by.

    `probed_in` is the environment that was certified; the receiver's sandbox account as a rule.
    """

    attempts: Sequence[Attempt]
    named: Sequence[Named]
    scene: Scene
    probed_in: str


def compared(dossier: Dossier) -> Compared:
    """Attempts and effects of one operation, the oldest first."""
    operation, facts = dossier.operation, dossier.facts
    attempts = list(
        operation.attempts.select_related("claim", "approval").order_by("generation")[:ATTEMPTS]
    )
    receipts = _receipts(operation)
    named = _named(operation, receipts)
    probe = _certification(operation)
    scene = Scene(
        profile=dossier.profile,
        sends=tuple(_send(attempt, facts) for attempt in attempts),
        effects=tuple(each.effect for each in named),
        absent_at=tuple(
            each.asked_at for each in facts.lookups if each.result is LookupResult.NOT_FOUND
        ),
        late_tokens=_late_tokens(operation, receipts),
        is_console=operation.executor == Executor.CONSOLE,
        probed=_probed(probe),
        probed_at=probe.at if probe else None,
    )
    probed_in = probe.environment if probe else ""
    return Compared(attempts=attempts, named=named, scene=scene, probed_in=probed_in)


def _receipts(operation: Operation) -> list[Receipt]:
    found = operation.receipts.exclude(effect_id="").exclude(status=ReceiptStatus.REFUSED)
    found = found.select_related("explanation").defer("raw", "payload_text")
    return list(found.order_by("received_at", "id")[:RECEIPTS])


def _named(operation: Operation, receipts: Sequence[Receipt]) -> list[Named]:
    by_id: dict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        by_id[receipt.effect_id].append(receipt)
    others = _others(operation, list(by_id))
    return [
        Named(
            effect=_effect(effect_id, told, others.get(effect_id)),
            receipts=told,
            confirmed=others.get(effect_id),
        )
        for effect_id, told in by_id.items()
    ]


def _others(operation: Operation, effect_ids: Sequence[str]) -> Mapping[str, Operation]:
    """The other operations of this receiver that these effects confirmed."""
    found = Operation.objects.filter(
        environment=operation.environment,
        receiver=operation.receiver,
        effect_id__in=effect_ids,
    )
    found = found.exclude(effect_id="").exclude(pk=operation.pk)
    return {each.effect_id: each for each in found.only("id", "key", "effect_id", "state", "grade")}


def _effect(effect_id: str, told: Sequence[Receipt], other: Operation | None) -> Effect:
    instants = [receipt.occurred_at for receipt in told if receipt.occurred_at is not None]
    compared = [_is_same_payload(receipt) for receipt in told if receipt.payload_digest]
    return Effect(
        effect_id=effect_id,
        first_told_at=told[0].received_at,
        occurred_at=min(instants, default=None),
        has_same_payload=None if None in compared or not compared else all(compared),
        confirmed_key=other.key if other else "",
    )


def _is_same_payload(receipt: Receipt) -> bool | None:
    """By the differences found when it came, which know the profile's significant fields.

    One that came before its operation was compared with nothing then, so its digest says it; where
    only some fields are significant, digests that differ say nothing.
    """
    operation = receipt.operation
    if operation is not None and receipt.received_at < operation.created_at:
        is_equal = receipt.payload_digest == operation.payload_digest
        return None if not is_equal and profile_of(operation).significant_fields else is_equal
    return not any(each["pointer"][:1] in ("", "/") for each in receipt.differences)


def _send(attempt: Attempt, facts: Facts) -> Send:
    known = {each.generation: each for each in facts.attempts}[attempt.generation]
    return Send(
        generation=attempt.generation,
        token=attempt.token,
        marked_at=attempt.marked_at,
        send_deadline_at=attempt.send_deadline_at,
        closed_at=known.closed_at,
        outcome=known.outcome,
        idempotency_key=attempt.idempotency_key,
        payload_digest=attempt.payload_digest,
        request_digest=attempt.request_digest,
    )


def _late_tokens(operation: Operation, receipts: Sequence[Receipt]) -> tuple[int, ...]:
    ends = AttemptEnd.objects.filter(attempt__operation=operation, is_stale=True)
    late = set(ends.values_list("token", flat=True)[:RECEIPTS])
    late |= {each.token for each in receipts if each.is_stale and each.token is not None}
    return tuple(sorted(late))


def _certification(operation: Operation) -> Certification | None:
    """The newest of this receiver, in whichever environment it may be probed."""
    environments = configuration_of(operation.environment).environments
    found = Certification.objects.filter(
        environment__in=environments, receiver=operation.receiver
    ).order_by("-at", "-id")
    return found.first()


def _probed(kept: Certification | None) -> tuple[tuple[Probe, Probed], ...]:
    rows = kept.rows if kept else []
    return tuple(
        (Probe(row["probe"]), Probed(Finding(row["finding"]), row["observed"])) for row in rows
    )
