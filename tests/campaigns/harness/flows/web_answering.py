"""What people's answers do in a web process: requests for approval, and others' proposals."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from operations.models import Operation
from operations.protocol.states import Executor
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.campaigns.harness.flows.web_settling import (
    attest,
    find_not_executed,
    release,
    set_aside,
    with_evidence,
)
from tests.people import the_request

type Make = Callable[[], Operation]


def _request(make: Make) -> Callable[[], Subject]:
    def arrange() -> Subject:
        operation = make()
        cast.sign_in(cast.person("approver"), cast.person("approver", 2), cast.person("viewer"))
        return states.subject(operation, request=the_request(operation).pk)

    return arrange


def _half_approved() -> Operation:
    operation = states.asked("two", "1500.00")
    states.approve(operation, number=2)
    return operation


def _answer(answer: str, role: str = "approver") -> Callable[[Subject], str]:
    """On the page of approvals."""

    def act(subject: Subject) -> str:
        request = subject.row.approvals.get(pk=subject.given["request"])
        return cast.press(
            cast.person(role),
            reverse("operations:approval_answer", args=[request.pk]),
            answer=answer,
            reason="Checked.",
            digest_seen=request.payload_digest,
            version=subject.row.version,
            decision_id=f"answer-{subject.key}"[:64],
        )

    return act


def _answer_beside_the_evidence(subject: Subject) -> str:
    return cast.decide(
        subject,
        cast.person("approver"),
        "request_answer",
        subject.given["request"],
        answer="yes",
        reason="Checked.",
        digest_seen=subject.row.payload_digest,
    )


def _proposal(make: Make, propose: Callable[[Subject], str]) -> Callable[[], Subject]:
    """An operator has proposed it by the same form as in the flow of that name."""

    def arrange() -> Subject:
        operation = make()
        answer = propose(states.subject(operation))
        assert answer == "303", f"expected a proposal, got {answer}"
        cast.sign_in(cast.person("approver"))
        return states.subject(operation, proposal=states.proposed(operation).pk)

    return arrange


def _second(answer: str) -> Callable[[Subject], str]:
    def act(subject: Subject) -> str:
        return cast.decide(
            subject,
            cast.person("approver"),
            "proposal_answer",
            subject.given["proposal"],
            answer=answer,
            reason="Asked there too.",
        )

    return act


def _flow(name: str, arrange: Callable[[], Subject], act: Callable[[Subject], str]) -> Flow:
    return Flow(name=name, role=Role.WEB, arrange=arrange, act=act)


def _asked(word: str, amount: str = "150.00", **given: Any) -> Callable[[], Subject]:
    return _request(lambda: states.asked(word, amount, **given))


def _unknown() -> Operation:
    return states.unknown("seconded")


def _unknown_refund() -> Operation:
    return states.unknown_refund("refund")


def _unknown_console() -> Operation:
    return states.unknown_console("console")


FLOWS = (
    _flow("approve", _asked("yes"), _answer("yes")),
    _flow("approve for the console", _asked("sent", executor=Executor.CONSOLE), _answer("yes")),
    _flow("approve beside the evidence", _asked("beside"), _answer_beside_the_evidence),
    _flow("reject", _asked("no"), _answer("no")),
    _flow("approve as the first of two", _asked("first", "1500.00"), _answer("yes")),
    _flow("approve as the second of two", _request(_half_approved), _answer("yes")),
    _flow("approve one's own request", _asked("own"), _answer("yes", "viewer")),
    _flow("second an attestation", _proposal(_unknown, attest), _second("yes")),
    _flow("second a release", _proposal(_unknown, release), _second("yes")),
    _flow("second a release of ours", _proposal(_unknown_console, release), _second("yes")),
    _flow("second a release under approval", _proposal(_unknown_refund, release), _second("yes")),
    _flow("second that nothing happened", _proposal(_unknown, find_not_executed), _second("yes")),
    _flow("second a setting aside", _proposal(with_evidence, set_aside), _second("yes")),
    _flow("say no to a proposal", _proposal(_unknown, release), _second("no")),
)
