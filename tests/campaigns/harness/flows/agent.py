"""What an agent's process does with the Python client: its boundaries are its HTTP requests.

It needs a running web process; `console_at(url)` says where, for this process and its children.
"""

from collections.abc import Callable
from typing import Any

from operations.models import Operation
from opsconsole.client import ApiProblem, NotSendable, OpsConsole, Refused, ReportPending
from tests.build import move_back
from tests.campaigns.harness.boundaries import http_client
from tests.campaigns.harness.flows import cast, outside, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.operations.api.caller import VANILLA

# Longer than the agents' lease, whose end a restarted agent would wait for.
PAST_THE_LEASE_SECONDS = 30
_console = {"url": ""}


def console_at(url: str) -> None:
    """Where agents find the console from now on."""
    _console["url"] = url


def _new(word: str, fault: str = "", **more: Any) -> Callable[[], Subject]:
    def arrange() -> Subject:
        key = cast.a_key(word)
        if fault:
            outside.arm(key, fault, **more)
        return Subject(key=key, caller=cast.caller())

    return arrange


def _confirmed() -> Subject:
    subject = _new("confirmed")()
    send(subject)
    return subject


def _marked() -> Subject:
    """An earlier process of this agent died after its mark."""
    return states.subject(states.marked("resumed")[0])


def send(subject: Subject) -> str:
    """Register, claim, mark, call once, report; a word for how it ended."""
    assert subject.caller is not None
    with http_client() as http, _client(subject, http) as console:
        effect = console.effect(
            key=subject.key,
            kind="supplier.order",
            receiver="sandbox",
            environment="production",
            payload=VANILLA,
            lease_seconds=10,
            claim_wait_seconds=0,
            report_seconds=5,
        )
        try:
            with effect:
                effect.send(lambda key, payload, left: _order(http, subject, key, payload, left))
        except (NotSendable, Refused, ReportPending, ApiProblem, ConnectionError) as end:
            return type(end).__name__
    return "sent"


def _client(subject: Subject, http: Any) -> OpsConsole:
    assert subject.caller is not None
    return OpsConsole(
        _console["url"], subject.caller.secret, holder="agent", repeat_seconds=5, http=http
    )


def _order(http: Any, subject: Subject, key: str, payload: Any, seconds: float) -> Any:
    """The agent's own call of the receiver."""
    try:
        answer = http.post(
            f"{outside.url()}/orders",
            json={"operation_id": subject.key, "payload": payload},
            headers={"Idempotency-Key": key},
            timeout=seconds,
        )
    except Exception as error:
        raise ConnectionError(str(error)) from error
    if answer.status_code == 422:
        raise Refused(422, "order_refused", answer.text)
    return answer.json()


def _restart(subject: Subject) -> None:
    """The agent starts again once the lease of its dead process is over, and does its errand."""
    left = Operation.objects.filter(key=subject.key).first()
    if left is not None:
        move_back(left, PAST_THE_LEASE_SECONDS)
    send(subject)


def _flow(name: str, arrange: Callable[[], Subject], *ends: str) -> Flow:
    return Flow(
        name=f"agent {name}",
        role=Role.AGENT,
        arrange=arrange,
        act=send,
        again=_restart,
        may_end=frozenset(ends),
    )


SENT = "confirmed, 1 request, 1 effect"
NEVER_LEFT = "sent_unknown, 0 requests, 0 effects, unknown_outcome"
FOUND_NOTHING = "sent_unknown, 1 request, 0 effects, unknown_outcome"
REFUSED = "refused, 1 request, 0 effects"

FLOWS = (
    _flow("sends", _new("sends"), SENT, NEVER_LEFT),
    _flow("is refused", _new("refused", "refuse", times=9), REFUSED, NEVER_LEFT, FOUND_NOTHING),
    _flow("loses the reply", _new("lost", "lose_reply", times=9), SENT, NEVER_LEFT),
    _flow("sends what is confirmed", _confirmed, SENT),
    _flow("resumes after its mark", _marked, NEVER_LEFT),
)
