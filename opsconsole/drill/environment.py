"""The environment `drill`: built in wherever a sandbox receiver is configured (decision 0008)."""

from collections.abc import Iterable
from dataclasses import replace

from operations.protocol.kinds import Kind
from operations.protocol.policies import Policy
from operations.protocol.profiles import Profile
from operations.receivers.base import ReceiverConfig
from operations.registry import DRILL, Configuration

ORDER = "drill.order"
APPROVED_ORDER = "drill.approved_order"

# An agent's lease outlasts the send deadline and what may still take effect after it, so that the
# first lookup after a crash says all there is to know.
SEND_WITHIN_SECONDS = 4
DELIVERY_DELAY_SECONDS = 1
# The look after that one can wait: a drill is over by then. What it leaves has a question, and is
# looked up each 32 intervals at first: every 8 hours, and up to a quarter more; then each day.
LOOKUP_INTERVAL_SECONDS = 900

_SCHEMA = {
    "type": "object",
    "required": ["sku", "quantity"],
    "additionalProperties": False,
    "properties": {
        "sku": {"type": "string", "minLength": 1, "maxLength": 80},
        "quantity": {"type": "integer", "minimum": 1},
    },
}
KINDS = {
    ORDER: Kind(
        name=ORDER,
        title="Order of a drill",
        schema=_SCHEMA,
        title_template="Drill: {quantity} × {sku}",
    ),
    APPROVED_ORDER: Kind(
        name=APPROVED_ORDER,
        title="Order of a drill that waits for a yes",
        schema=_SCHEMA,
        title_template="Drill: {quantity} × {sku}, once approved",
    ),
}
POLICIES = (
    Policy(
        name="orders that a drill asks for",
        kinds=(APPROVED_ORDER,),
        request_lives_seconds=600,
        yes_lives_seconds=60,
        sentence="A drill asks, and withdraws its request; nobody needs to answer.",
    ),
)


def drill_configuration(receivers: Iterable[ReceiverConfig]) -> Configuration | None:
    """What holds in it, at the first sandbox of these; None without one."""
    sandbox = next((each for each in receivers if each.profile.connector == "sandbox"), None)
    if sandbox is None:
        return None
    config = replace(sandbox, environment=DRILL, profile=_profile(sandbox.name))
    return Configuration(
        environments=(DRILL,),
        kinds=KINDS,
        receivers={(DRILL, sandbox.name): config},
        policies=POLICIES,
    )


def _profile(receiver: str) -> Profile:
    return Profile(
        receiver=receiver,
        connector="sandbox",
        deduplicates=True,
        dedup_window_seconds=86_400,
        dedup_margin_seconds=300,
        notices_changed_payload=True,
        has_lookup=True,
        delivery_delay_seconds=DELIVERY_DELAY_SECONDS,
        send_within_seconds=SEND_WITHIN_SECONDS,
        lookup_interval_seconds=LOOKUP_INTERVAL_SECONDS,
        # Drills kill workers, whose places come back with their leases only.
        lookups_at_once=1000,
        circuit_after_failures=1000,
        runbook="What a drill leaves open is left on purpose; nobody has to settle it.",
    )
