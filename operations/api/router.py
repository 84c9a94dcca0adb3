"""The one router of /operations: an address that two modules serve must be one address."""

from ninja import Router

router = Router(tags=["operations"])
