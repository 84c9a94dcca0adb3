"""What superseding and compensating share: a new operation with its own key, linked to the old."""

from dataclasses import dataclass, replace

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import Begun, basis
from operations.actions.register_operation import register_operation
from operations.actions.registration import Registration
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.payloads import parse_json
from operations.protocol.states import Executor

_EVENTS = {"supersedes": "supersede", "compensates": "compensate"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """The new operation as a person asks for it. Empty members are those of the old one.

    `payload_text` is JSON. Its agent and executor are the old one's, so that somebody can send it.
    """

    key: str
    kind: str = ""
    receiver: str = ""
    payload_text: str = ""
    goal: str = ""


def register_follow_up(begun: Begun, wanted: FollowUp, *, link: str, reason: str) -> Operation:
    """The new operation, in `awaiting_approval`; the old one's trail names it.

    `link` is "supersedes" or "compensates". Raises what `register_operation` raises.
    """
    old = begun.operation
    payload_text = wanted.payload_text.strip() or old.payload_text
    registration = Registration(
        key=wanted.key,
        kind=wanted.kind or old.kind,
        receiver=wanted.receiver or old.receiver,
        environment=old.environment,
        payload=parse_json(payload_text),
        executor=Executor(old.executor),
        goal=wanted.goal or old.goal,
        reference=old.reference,
        **{link: str(old.pk)},
    )
    actor = _on_behalf_of(begun.actor, old)
    new = register_operation(actor=actor, registration=registration).operation
    record_change(
        old,
        _EVENTS[link],
        actor=begun.actor,
        at=begun.at,
        bumps_version=False,
        reason=reason,
        detail={**basis(begun), "operation": str(new.pk), "key": new.key},
    )
    return new


def _on_behalf_of(actor: Actor, old: Operation) -> Actor:
    """The person, asking for the old one's agent; its responsible person stays excluded."""
    if old.agent is None:
        return actor
    responsible = frozenset({old.agent.responsible_id})
    return replace(actor, agent_id=old.agent_id, responsible_ids=responsible)
