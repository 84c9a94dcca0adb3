"""Webhooks as a receiver posts them to the console."""

from django.http import HttpResponse
from django.test import Client

from operations.models import Receipt
from operations.protocol.payloads import dumps
from reconciliation.models import WebhookDelivery


def post(
    body: str, headers: dict[str, str], *, to: str = "production/sandbox", **options
) -> HttpResponse:
    """One delivery to the address of an environment's receiver."""
    client = Client(**options)
    return client.post(
        f"/hooks/{to}", data=body.encode(), content_type="application/json", headers=headers
    )


def message(receipt: dict, **given) -> str:
    """The body that carries a receipt."""
    return dumps({"type": "receipt", "data": receipt, **given})


def nothing_kept() -> bool:
    """Whether there is neither a delivery nor a receipt."""
    return not WebhookDelivery.objects.exists() and not Receipt.objects.exists()
