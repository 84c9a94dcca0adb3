"""Whether a delivery is the receiver's own word (Standard Webhooks, over its bytes)."""

from collections.abc import Mapping

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from operations.protocol.refusals import NotFound
from operations.receivers.base import ReceiverConfig
from reconciliation.protocol.refusals import BadSignature

LONGEST_ID = 255
SIGNED_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verify_webhook(config: ReceiverConfig, *, headers: Mapping[str, str], raw: bytes) -> str:
    """The webhook's id, once signature and time (5 minutes either way) are found good.

    `headers` have lower-case names. `config.webhook_secret` may hold several secrets, separated
    by blanks, while they are being changed. Raises BadSignature; NotFound where none is set.
    """
    secrets = config.webhook_secret.split()
    if not secrets:
        raise NotFound(what="webhook address of receiver", got=config.name)
    missing = [name for name in SIGNED_HEADERS if not headers.get(name)]
    if missing:
        raise BadSignature(expected=", ".join(SIGNED_HEADERS), got=f"no {missing[0]}")
    webhook_id = headers["webhook-id"]
    if len(webhook_id) > LONGEST_ID:
        raise BadSignature(
            expected=f"a webhook-id of at most {LONGEST_ID} characters", got=f"{len(webhook_id)}"
        )
    flaws = [_flaw(secret, headers, raw) for secret in secrets]
    if all(flaws):
        raise BadSignature(expected="a current signature with this receiver's secret", got=flaws[0])
    return webhook_id


def _flaw(secret: str, headers: Mapping[str, str], raw: bytes) -> str | None:
    try:
        Webhook(secret).verify(raw, dict(headers), json_parse=False)
    except WebhookVerificationError as error:
        return str(error)
    except ValueError:  # bytes that are not UTF-8, a signature that is not base64
        return "a body or a signature that can't be read"
    return None
