"""A signed webhook arrives: kept once for ever, and its receipt recorded with it (rule 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from operations import clock, registry
from operations.actions.keep_receipt import keep_unmatched_receipt
from operations.actions.match_receipts import hold_key
from operations.actions.record_receipt import record_receipt
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from operations.models import Operation, Receipt
from operations.protocol.payloads import MalformedJSON, TooLarge
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import Channel
from operations.protocol.words import shortened, storable
from operations.receivers.base import ReceiverConfig
from reconciliation.actions.verify_webhook import NoReceipt, scheme_of, verify_webhook
from reconciliation.models import WebhookDelivery

UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of a delivery: a verdict, `unmatched`, or why it holds no receipt.

    `reuses_id`: its id came before with other bytes.
    """

    outcome: str
    is_new: bool
    reuses_id: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A verified delivery. `kept_as` is its id in our table; `first_digest` is of the first bytes
    that came under its id, where those were others."""

    webhook_id: str
    kept_as: str
    headers: Mapping[str, str]
    raw: bytes
    first_digest: str = ""


def take_webhook(
    *, environment: str, receiver: str, headers: Mapping[str, str], raw: bytes
) -> Taken:
    """Keep a delivery, and record its receipt on the receiver's own authority.

    A second copy is a no-op. Other bytes under a used id are the receiver's word as well: kept
    beside the first, judged like any receipt, and on the trail of receivers. `headers` have
    lower-case names. What is signed and can't be read is kept too. Raises UnknownEnvironment,
    UnknownReceiver, NotFound (no secret set) and BadSignature; then nothing is kept.
    """
    config = registry.receiver(receiver, registry.environment(environment))
    webhook_id = verify_webhook(config, headers=headers, raw=raw)
    signed = {name: headers[name] for name in scheme_of(config).headers}
    while True:
        found = _known_or_new(config, webhook_id, signed, raw)
        if isinstance(found, Taken):
            return found
        try:
            with transaction.atomic(durable=True):
                return _keep(config, found)
        except IntegrityError:
            # Another delivery under this id was kept while we worked; ours is undone, all of it.
            if not _is_kept(config, found.kept_as):
                raise


def _known_or_new(
    config: ReceiverConfig, webhook_id: str, headers: Mapping[str, str], raw: bytes
) -> Taken | Delivery:
    first = _deliveries(config, webhook_id).first()
    if first is None:
        return Delivery(webhook_id=webhook_id, kept_as=webhook_id, headers=headers, raw=raw)
    if bytes(first.raw) == raw:
        return Taken(outcome=first.outcome, is_new=False)
    # No header holds a line feed, so no other id is taken for this one.
    kept_as = f"{webhook_id}\n{_digest(raw)}"
    again = _deliveries(config, kept_as).first()
    if again is not None:
        return Taken(outcome=again.outcome, is_new=False, reuses_id=True)
    return Delivery(
        webhook_id=webhook_id,
        kept_as=kept_as,
        headers=headers,
        raw=raw,
        first_digest=_digest(bytes(first.raw)),
    )


def _deliveries(config: ReceiverConfig, kept_as: str) -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(
        environment=config.environment, receiver=config.name, webhook_id=kept_as
    )


def _is_kept(config: ReceiverConfig, kept_as: str) -> bool:
    return _deliveries(config, kept_as).exists()


def _digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def _keep(config: ReceiverConfig, delivery: Delivery) -> Taken:
    said = _receipt(config, delivery.raw)
    receipt, outcome = (
        (None, said) if isinstance(said, str) else _record(config, said, delivery.raw)
    )
    now = clock.now()
    WebhookDelivery.objects.create(
        environment=config.environment,
        receiver=config.name,
        webhook_id=delivery.kept_as,
        received_at=now,
        headers=dict(delivery.headers),
        raw=delivery.raw,
        receipt=receipt,
        outcome=outcome,
    )
    if delivery.first_digest:
        _tell_of_reuse(config, delivery, outcome, at=now)
    return Taken(outcome=outcome, is_new=True, reuses_id=bool(delivery.first_digest))


def _tell_of_reuse(
    config: ReceiverConfig, delivery: Delivery, outcome: str, *, at: datetime
) -> None:
    append_entry(
        about=None,
        stream=RECEIVERS,
        event="reuse_webhook_id",
        actor=_sender(config),
        at=at,
        detail={
            "environment": config.environment,
            "receiver": config.name,
            "webhook": storable(delivery.webhook_id),
            "first_digest": delivery.first_digest,
            "digest": _digest(delivery.raw),
            "outcome": outcome,
        },
    )


def _sender(config: ReceiverConfig) -> Actor:
    return Actor.system(f"webhook of {config.name}")


def _receipt(config: ReceiverConfig, raw: bytes) -> ReceiptValue | str:
    """The receipt in the body, or in one sentence why there is none."""
    try:
        return parse_receipt(scheme_of(config).receipt_in(raw, config.settings))
    except (MalformedJSON, TooLarge) as malformed:
        return _sentence(malformed.detail)
    except (NoReceipt, InvalidReceipt) as why:
        return _sentence(str(why))


def _sentence(text: str) -> str:
    return storable(shortened(text))


def _record(config: ReceiverConfig, value: ReceiptValue, raw: bytes) -> tuple[Receipt | None, str]:
    operation_id = _operation_named(config, value.operation_key)
    if operation_id is None:
        hold_key(environment=config.environment, key=value.operation_key)
        operation_id = _operation_named(config, value.operation_key)
    if operation_id is None:
        receipt = keep_unmatched_receipt(
            value,
            environment=config.environment,
            receiver=config.name,
            channel=Channel.WEBHOOK,
            raw=raw,
            at=clock.now(),
        )
        return receipt, UNMATCHED
    recorded = record_receipt(
        operation_id=operation_id,
        value=value,
        channel=Channel.WEBHOOK,
        raw=raw,
        actor=_sender(config),
    )
    return recorded.receipt, str(recorded.verdict)


def _operation_named(config: ReceiverConfig, key: str) -> UUID | None:
    """The operation of this key at this very receiver; another receiver's word counts nothing."""
    named = Operation.objects.filter(environment=config.environment, key=key, receiver=config.name)
    return named.values_list("pk", flat=True).first()
