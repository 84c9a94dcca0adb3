"""A worker process of its own that kills itself with SIGKILL at one point of a dispatch.

    python -m tests.reconciliation.actions.dying_worker POINT OPERATION_ID

It runs the product's own code; the point is a function of it that is wrapped here. At any other
point, such as `sending` or `looking_up`, it lives, and says how far it came.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any
from uuid import UUID


def die(*args: Any, **kwargs: Any) -> None:
    """End this process as the kernel ends one: no handler, no cleanup, no goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def then_die(done: Callable[..., Any]) -> Callable[..., Any]:
    """`done`, and death before its caller learns of it."""

    def act(*args: Any, **kwargs: Any) -> None:
        done(*args, **kwargs)
        die()

    return act


def main(point: str, operation_id: UUID) -> None:
    """Dispatch, or look up, and die on the way where there is such a point."""
    import django

    django.setup()
    from operations.actions import dispatch_operation as dispatching
    from operations.actions import mark_attempt as marking
    from operations.receivers.sandbox import SandboxReceiver
    from operations.receivers.stripe_receiver import StripeReceiver
    from reconciliation.actions import reconcile_operation as reconciling

    wrapped = {
        "before_the_mark": (dispatching, "mark_attempt", die),
        "in_the_mark": (marking, "_write", die),  # the row is locked, nothing is committed
        "while_building_the_request": (SandboxReceiver, "render", die),
        "after_the_mark": (SandboxReceiver, "send", die),
        "after_the_response": (SandboxReceiver, "send", then_die(SandboxReceiver.send)),
        "after_stripes_response": (StripeReceiver, "send", then_die(StripeReceiver.send)),
        "after_the_save": (
            dispatching,
            "record_outcome",
            then_die(dispatching.record_outcome),
        ),
        "after_the_lookup": (SandboxReceiver, "look_up", then_die(SandboxReceiver.look_up)),
    }
    if point in wrapped:
        setattr(*wrapped[point])
    looks_up = point in ("after_the_lookup", "looking_up")
    act = reconciling.reconcile_operation if looks_up else dispatching.dispatch_operation
    outcome = act(operation_id=operation_id, holder=f"child/{os.getpid()}")
    sys.exit(str(outcome))


if __name__ == "__main__":
    main(sys.argv[1], UUID(sys.argv[2]))
