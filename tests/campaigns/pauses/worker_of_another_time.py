"""A worker's process whose time of day may be wrong; what it did, as one line of JSON.

    python -m tests.campaigns.pauses.worker_of_another_time '{"act": id or token, …}'

The product's own code with its own settings; `other_clock.c` is preloaded by whoever starts it.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID


def main(given: dict[str, Any]) -> dict[str, str]:
    """What came of each act, as a word that does not depend on the time."""
    import django

    django.setup()
    from django.contrib.auth.models import User

    from operations.actions.claim_operation import claim_operation
    from operations.actions.decide_approval import decide_approval
    from operations.actions.dispatch_operation import dispatch_operation
    from operations.actions.expire_approvals import expire_approvals
    from operations.actions.expire_claims import expire_claims
    from operations.actions.mark_attempt import mark_attempt
    from operations.actions.stall_overdue import stall_overdue
    from operations.models import Agent, Approval
    from reconciliation.actions.reconcile_operation import reconcile_operation
    from tests.build import agent_actor, as_actor

    agent = agent_actor(Agent.objects.get(name=given["agent"]))
    person = as_actor(User.objects.get(username=given["approver"]))

    def claim(key: str) -> str:
        operation_id = UUID(given[key])
        claim_operation(
            operation_id=operation_id, actor=agent, version=1, holder="w", lease_seconds=60
        )
        return "claimed"

    def mark(key: str) -> str:
        operation_id, token = given[key]
        mark_attempt(operation_id=UUID(operation_id), actor=agent, token=token)
        return "marked"

    def decide(key: str) -> str:
        asked = Approval.objects.get(pk=given[key])
        decide_approval(
            approval_id=asked.pk,
            actor=person,
            is_yes=True,
            reason="Checked.",
            digest_seen=asked.payload_digest,
        )
        return "approved"

    def send(key: str) -> str:
        return str(dispatch_operation(operation_id=UUID(given[key]), holder="another time"))

    def look(key: str) -> str:
        return str(reconcile_operation(operation_id=UUID(given[key]), holder="another time"))

    return {
        "sweep leases that run": _said(lambda: expire_claims(limit=100)),
        "sweep requests that are open": _said(lambda: expire_approvals(limit=100)),
        "stall what is not overdue": _said(lambda: stall_overdue(limit=100)),
        "send what another holds": _said(lambda: send("held")),
        "claim what another holds": _said(lambda: claim("held_by_agent")),
        "mark under a lease that runs": _said(lambda: mark("live")),
        "mark under a lease that is over": _said(lambda: mark("over")),
        "approve in time": _said(lambda: decide("asked")),
        "approve too late": _said(lambda: decide("overdue")),
        "look up before the send deadline": _said(lambda: look("in_sending")),
        "look up what is due": _said(lambda: look("unknown")),
        "send what is due": _said(lambda: send("due")),
    }


def _said(act: Callable[[], Any]) -> str:
    from operations.protocol.refusals import Refusal

    try:
        return str(act())
    except Refusal as refusal:
        return refusal.code


if __name__ == "__main__":
    told = main(json.loads(sys.argv[1]))
    sys.stdout.write(json.dumps({"time": time.time(), "acts": told}) + "\n")
