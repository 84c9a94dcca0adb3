"""The four kinds of receiver: with and without keys, with and without a lookup."""

from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from operations.protocol.profiles import RefusalRule

ENVIRONMENT = "production"
# Less than a busy machine needs from mark to call would be a window of its own.
SEND_WITHIN_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """`name` is what the receiver is called; through the relay it is `name-relayed`."""

    name: str
    has_keys: bool
    has_lookup: bool

    @property
    def relayed(self) -> str:
        """The same receiver behind a relay that changes its answers."""
        return f"{self.name}-relayed"


KINDS = (
    Kind("keys-and-lookup", has_keys=True, has_lookup=True),
    Kind("lookup-only", has_keys=False, has_lookup=True),
    Kind("keys-only", has_keys=True, has_lookup=False),
    Kind("neither", has_keys=False, has_lookup=False),
)


def configure(*, sandbox_url: str, relay_url: str) -> None:
    """Configure each kind twice: straight to the sandbox, and through the relay."""
    receivers: dict[Any, Any] = dict(settings.OPSCONSOLE.receivers)
    model = receivers[ENVIRONMENT, "sandbox"]
    for kind in KINDS:
        for name, url in ((kind.name, sandbox_url), (kind.relayed, relay_url)):
            profile = replace(
                model.profile,
                receiver=name,
                deduplicates=kind.has_keys,
                dedup_window_seconds=86_400 if kind.has_keys else None,
                notices_changed_payload=kind.has_keys,
                has_lookup=kind.has_lookup,
                send_within_seconds=SEND_WITHIN_SECONDS,
                delivery_delay_seconds=1,
                lookup_lag_seconds=0,
                lookup_interval_seconds=1,
                definite_refusals=(RefusalRule(422, "order_refused"),),
            )
            receivers[ENVIRONMENT, name] = replace(model, name=name, base_url=url, profile=profile)
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)
