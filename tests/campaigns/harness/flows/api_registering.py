"""What registering does in a web process: POST /api/v1/operations."""

from collections.abc import Callable
from typing import Any

from operations.protocol.states import Executor
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.campaigns.harness.flows.webhook import deliver
from tests.operations.api.caller import a_body

REFUND = {"order": "A-1", "amount": "150.00", "currency": "EUR", "reason": "damaged"}


def _new(word: str, **given: Any) -> Callable[[], Subject]:
    def arrange() -> Subject:
        key = cast.a_key(word)
        return Subject(key=key, caller=cast.caller(), given={"body": a_body(key=key, **given)})

    return arrange


def _known(word: str, *, by: str = "agent", **first: Any) -> Callable[[], Subject]:
    """It is on record already, as `by` would ask for it again; `first` stood in it then."""

    def arrange() -> Subject:
        subject = _new(word)()
        cast.ask(subject, "POST", "/operations", {**subject.given["body"], **first})
        subject.caller = cast.caller(by)
        return subject

    return arrange


def _asked_before() -> Subject:
    subject = _new("asked-again", kind="payment.refund", payload=REFUND)()
    _register(subject)
    subject.caller = cast.caller()
    return subject


def _twin() -> Subject:
    """The same thing for the same reference, under another key, is open."""
    subject = _new("twin")()
    body = subject.given["body"]
    body["reference"] = subject.key
    cast.ask(subject, "POST", "/operations", {**body, "key": f"{subject.key}-first"})
    subject.caller = cast.caller()
    return subject


def _told_before() -> Subject:
    """A receipt for its key came before the registration."""
    subject = _new("told-before")()
    deliver(subject)
    return subject


def _in_place_of() -> Subject:
    """It replaces one that was refused."""
    old = states.refused("replaced")
    body = a_body(key=f"{old.key}-new", supersedes=str(old.pk))
    return Subject(key=old.key, caller=cast.caller(), given={"body": body})


def _register(subject: Subject) -> str:
    return cast.ask(subject, "POST", "/operations", subject.given["body"])


def _flow(name: str, arrange: Callable[[], Subject]) -> Flow:
    return Flow(name=name, role=Role.API, arrange=arrange, act=_register)


FLOWS = (
    _flow("register", _new("new")),
    _flow("register for the console", _new("sent", executor=Executor.CONSOLE)),
    _flow("register what needs approval", _new("refund", kind="payment.refund", payload=REFUND)),
    _flow("register again", _known("again")),
    _flow("register again while it waits for approval", _asked_before),
    _flow(
        "register a used key with another quantity",
        _known("reused", payload={"sku": "vanilla", "quantity": 5}),
    ),
    _flow("register another agent's key", _known("taken", by="agent-2")),
    _flow("register a possible duplicate", _twin),
    _flow("register what a receipt is there for", _told_before),
    _flow("register in place of a refused one", _in_place_of),
)
