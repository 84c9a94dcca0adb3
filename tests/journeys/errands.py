"""What the agents of these journeys are sent out for."""

from typing import Any

from opsconsole.demo.agents.errand import Errand
from tests.journeys.world import World, eventually

VANILLA = {"sku": "vanilla", "quantity": 6}


def an_order(key: str, **given: Any) -> Errand:
    """Six vanilla, by agent-1."""
    return Errand(
        agent="agent-1",
        key=key,
        kind="supplier.order",
        payload=VANILLA,
        reference=f"PO of {key}",
        goal="Refill vanilla.",
        context={"run": "run-1"},
        **given,
    )


def operation_of(world: World, key: str) -> dict[str, Any]:
    """The operation of this key, as its agent sees it now."""
    with world.console() as console:
        return next(console.list(key=key, environment="production"))


def in_the_inbox(world: World, key: str) -> dict[str, Any]:
    """An order that the receiver took and does not show, once its quarantine is over."""
    world.sandbox.fault(key, "hide_lookup")
    world.sandbox.fault(key, "lose_reply")
    said, _ = world.agent(an_order(key)).communicate(timeout=60)
    assert said.startswith("unknown: "), said
    return eventually(
        lambda: operation_of(world, key),
        lambda seen: "unknown_outcome" in str(seen["open_reviews"]),
    )
