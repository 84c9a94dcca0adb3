"""Judging a receipt against the operation it is about, whoever brought it (rule 4)."""

from operations.models import Operation
from operations.protocol.payloads import Difference, dumps, parse_json
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Judged, Judgement, Receipt, judge
from operations.registry import money_of


def judge_receipt(operation: Operation, value: Receipt, profile: Profile) -> Judgement:
    """What the receipt is worth for this operation by itself; its state is not asked."""
    payload = parse_json(operation.payload_text)
    return judge(
        value,
        key=operation.key,
        environment=operation.environment,
        payload=payload,
        profile=profile,
        money=money_of(operation.kind, payload),
    )


def with_taken_effect(judgement: Judgement, effect_id: str | None) -> Judgement:
    """The same for an effect that confirmed another operation: a mismatch that says so."""
    expected = "an effect that confirmed nothing else"
    taken = Difference("effect_id", expected, dumps(effect_id), "value")
    return Judgement(Judged.MISMATCH, (*judgement.differences, taken), judgement.not_compared)


def effect_holder(operation: Operation, effect_id: str | None) -> Operation | None:
    """The other operation that this effect confirmed already; one effect confirms one."""
    if not effect_id:
        return None
    others = Operation.objects.filter(
        environment=operation.environment, receiver=operation.receiver, effect_id=effect_id
    )
    return others.exclude(pk=operation.pk).first()
