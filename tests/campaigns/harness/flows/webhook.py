"""Signed webhooks as the receiver sends them, in every state that they may come in."""

import json
from collections.abc import Callable
from typing import Any

from django.test import Client

from operations.actions.cancel_operation import cancel_operation
from operations.models import Operation
from operations.protocol.states import State
from tests.build import agent_actor
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.operations.api.caller import VANILLA
from tests.signing import signed

ADDRESS = "/hooks/production/sandbox"


def deliver(subject: Subject, **said: Any) -> str:
    """The receiver's webhook about the subject's key; `said` stands in its receipt instead.

    The same webhook however often it is called: an id of its own, and the same bytes.
    """
    receipt = {
        "operation_id": subject.key,
        "payload": VANILLA,
        "status": "confirmed",
        "effect_id": f"effect-{subject.key}",
        **said,
        **subject.given.get("said", {}),
    }
    body = json.dumps({"type": "receipt", "data": receipt})
    return _send(body, webhook_id=f"msg-{subject.given.get('id', '')}{subject.key}")


def _unreadable(subject: Subject) -> str:
    return _send('{"type": "receipt", "data": 17}', webhook_id=f"msg-{subject.key}")


def _send(body: str, *, webhook_id: str) -> str:
    answer = Client(SERVER_NAME=cast.HOST).post(
        ADDRESS, body, content_type="application/json", headers=signed(body, webhook_id=webhook_id)
    )
    return str(answer.status_code)


def _about(make: Callable[[], Operation], **said: Any) -> Callable[[], Subject]:
    return lambda: states.subject(make(), said=said)


def _marked() -> Operation:
    return states.marked("hooked")[0]


def _nobody() -> Subject:
    return Subject(key=cast.a_key("nobodys"))


def _copy() -> Subject:
    """It was delivered before, whole."""
    subject = states.subject(_marked())
    deliver(subject)
    return subject


def _same_effect() -> Subject:
    """Another delivery about the effect that confirmed it."""
    operation = _marked()
    deliver(states.subject(operation))
    return states.subject(operation, id="again")


def _another_effect() -> Subject:
    return states.subject(states.confirmed("two-effects"))


def _cancelled() -> Operation:
    operation = states.ready("cancelled")
    assert operation.agent is not None
    return cancel_operation(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        version=operation.version,
        reason="No longer wanted.",
    )


def _awaiting_again() -> Subject:
    """Generation 2 of a refund, which waits for its new approval."""
    operation = states.released_refund("awaiting")
    assert operation.state == State.AWAITING_APPROVAL
    return states.subject(operation, said={"payload": json.loads(operation.payload_text)})


def _replaced() -> Operation:
    """Refused, and another was registered in its place: that one is held."""
    operation = states.refused("replaced")
    states.supersede(operation)
    return operation


def _flow(name: str, arrange: Callable[[], Subject], act: Callable[[Subject], str] = deliver):
    return Flow(name=f"webhook {name}", role=Role.WEBHOOK, arrange=arrange, act=act)


FLOWS = (
    _flow("confirms", _about(_marked)),
    _flow("says pending", _about(_marked, status="pending")),
    _flow("says refused", _about(_marked, status="refused")),
    _flow("has another payload", _about(_marked, payload={"sku": "vanilla", "quantity": 5})),
    _flow("is about nothing known", _nobody),
    _flow("can not be read", _nobody, _unreadable),
    _flow("comes twice", _copy),
    _flow("tells the same effect again", _same_effect),
    _flow("tells a second effect", _another_effect),
    _flow("comes late for a refused one", _about(lambda: states.refused("late"))),
    _flow("comes late for a superseded one", _about(_replaced)),
    _flow("comes late for one not executed", _about(lambda: states.not_executed("late"))),
    _flow("comes late for a cancelled one", _about(_cancelled)),
    _flow("comes for one released", _about(lambda: states.released("late"))),
    _flow(
        "says pending for one released", _about(lambda: states.released("late"), status="pending")
    ),
    _flow("comes for one that waits for approval again", _awaiting_again),
    _flow("comes for one never sent", _about(lambda: states.ready("never-sent"))),
)
