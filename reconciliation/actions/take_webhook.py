"""A signed webhook arrives: kept once for ever, and its receipt recorded with it (rule 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from operations import clock, registry
from operations.actions.keep_receipt import keep_unmatched_receipt
from operations.actions.match_receipts import hold_key
from operations.actions.record_receipt import record_receipt
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.payloads import MalformedJSON, TooLarge, parse_json
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import Channel
from operations.protocol.words import shortened, storable
from operations.receivers.base import ReceiverConfig
from reconciliation.actions.verify_webhook import SIGNED_HEADERS, verify_webhook
from reconciliation.models import WebhookDelivery

log = structlog.get_logger()

MAX_BYTES = 4 * 1024 * 1024
# A payload may be nested 64 deep; a webhook holds a receipt, which holds the payload.
MAX_DEPTH = 67
UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of a delivery: a verdict, `unmatched`, or why it holds no receipt."""

    outcome: str
    is_new: bool


def take_webhook(
    *, environment: str, receiver: str, headers: Mapping[str, str], raw: bytes
) -> Taken:
    """Keep a delivery, and record its receipt on the receiver's own authority.

    A second copy is a no-op. `headers` have lower-case names. What is signed and can't be read is
    kept too. Raises UnknownEnvironment, UnknownReceiver, NotFound (no secret set) and
    BadSignature; then nothing is kept.
    """
    config = registry.receiver(receiver, registry.environment(environment))
    webhook_id = verify_webhook(config, headers=headers, raw=raw)
    known = _delivered(config, webhook_id, raw)
    if known:
        return known
    try:
        with transaction.atomic(durable=True):
            return _keep(config, webhook_id, headers=headers, raw=raw)
    except IntegrityError:
        # A copy was kept while we worked; ours is undone, all of it.
        known = _delivered(config, webhook_id, raw)
        if known is None:
            raise
        return known


def _delivered(config: ReceiverConfig, webhook_id: str, raw: bytes) -> Taken | None:
    kept = WebhookDelivery.objects.filter(
        environment=config.environment, receiver=config.name, webhook_id=webhook_id
    ).first()
    if kept is None:
        return None
    if bytes(kept.raw) != raw:
        log.warning("webhook id used again for other bytes", webhook=webhook_id)
    return Taken(outcome=kept.outcome, is_new=False)


def _keep(
    config: ReceiverConfig, webhook_id: str, *, headers: Mapping[str, str], raw: bytes
) -> Taken:
    said = _receipt(raw)
    receipt, outcome = (None, said) if isinstance(said, str) else _record(config, said, raw)
    WebhookDelivery.objects.create(
        environment=config.environment,
        receiver=config.name,
        webhook_id=webhook_id,
        received_at=clock.now(),
        headers={name: headers[name] for name in SIGNED_HEADERS},
        raw=raw,
        receipt=receipt,
        outcome=outcome,
    )
    return Taken(outcome=outcome, is_new=True)


def _receipt(raw: bytes) -> ReceiptValue | str:
    """The receipt in the body, or in one sentence why there is none."""
    try:
        body = parse_json(raw, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH, keeps_any_text=True)
    except (MalformedJSON, TooLarge) as malformed:
        return _sentence(malformed.detail)
    if not isinstance(body, dict) or body.get("type") != "receipt":
        return 'expected {"type": "receipt", "data": receipt}, got another message.'
    try:
        return parse_receipt(body.get("data"))
    except InvalidReceipt as invalid:
        return _sentence(str(invalid))


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
        actor=Actor.system(f"webhook of {config.name}"),
    )
    return recorded.receipt, str(recorded.verdict)


def _operation_named(config: ReceiverConfig, key: str) -> UUID | None:
    """The operation of this key at this very receiver; another receiver's word counts nothing."""
    named = Operation.objects.filter(environment=config.environment, key=key, receiver=config.name)
    return named.values_list("pk", flat=True).first()
