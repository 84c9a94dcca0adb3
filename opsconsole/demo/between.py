"""What belongs to no single operation: a halt that is over, receipts that name no known key."""

from datetime import timedelta

from operations import clock
from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.models import Halt
from opsconsole.demo.cast import Cast
from opsconsole.demo.webhooks import deliver

HALTED_AGO = timedelta(days=6, hours=3)
HALT_LENGTH = timedelta(minutes=42)

# Effects that nobody here asked for: environment, key, payload, effect id, how long ago.
STRANGE_RECEIPTS = (
    (
        "production",
        "order-1994",
        {"sku": "sea-salt-flakes-500g", "quantity": 24},
        "SO-611204",
        timedelta(days=4, hours=2),
    ),
    (
        "production",
        "PO-1987/2",
        {"sku": "gift-box-m", "quantity": 500},
        "SO-640018",
        timedelta(hours=19),
    ),
    (
        "staging",
        "test-order-3",
        {"sku": "vanilla", "quantity": 1},
        "SO-100003",
        timedelta(hours=2, minutes=11),
    ),
)


def tell_halt(cast: Cast) -> None:
    """Dispatch to one receiver was halted for a while, with both reasons on record."""
    if Halt.objects.exists():
        return
    with clock.in_the_past(HALTED_AGO):
        halt = halt_dispatch(
            actor=cast.person("operator"),
            environment="staging",
            receiver="manual",
            reason="The order desk moves to another building this morning.",
        )
    with clock.in_the_past(HALTED_AGO - HALT_LENGTH):
        resume_dispatch(
            halt_id=halt.pk, actor=cast.person("admin"), reason="They answer the telephone again."
        )


def tell_strange_receipts() -> None:
    """The receiver told of effects under keys that were never registered."""
    for environment, key, payload, effect_id, ago in STRANGE_RECEIPTS:
        with clock.in_the_past(ago):
            deliver(
                "sandbox",
                environment,
                {
                    "operation_id": key,
                    "payload": payload,
                    "status": "confirmed",
                    "effect_id": effect_id,
                    "environment": environment,
                },
            )
