"""What settling each review does in a web process, and the switch that halts dispatch."""

from collections.abc import Callable

from django.urls import reverse

from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.actions.record_refusal import record_refusal
from operations.actions.stall_overdue import stall_overdue
from operations.models import Halt, Operation
from operations.protocol.states import Executor, Question
from tests.build import a_receipt, agent_actor, move_back, receive
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject

WHY = "Asked the receiver."
# No other flow works there.
ENVIRONMENT, RECEIVER = "staging", "manual"
LONGER_THAN_ANY_OTHER_SECONDS = 86_400


def _mismatched() -> Operation:
    operation, _ = states.marked("mismatched")
    receive(operation, a_receipt(operation, payload={"sku": "vanilla", "quantity": 5}))
    return operation


def _contradicted() -> Operation:
    operation = states.confirmed("contradicted")
    receive(operation, a_receipt(operation, status="refused", effect_id=operation.effect_id))
    return operation


def _two_effects() -> Operation:
    operation = states.confirmed("two-effects")
    receive(operation, a_receipt(operation))
    return operation


def _duplicate_answer() -> Operation:
    operation, attempt = states.marked("duplicate")
    assert operation.agent is not None
    record_refusal(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        status=409,
        code="duplicate",
        raw=b"{}",
    )
    return operation


def _late() -> Operation:
    return states.late(states.refused("late"))


def _held_successor() -> Operation:
    old = states.refused("replaced")
    new = states.supersede(old)
    states.late(old)
    return new


def _stalled() -> Operation:
    """The sweep takes the longest due first: this one alone, and nobody else's that is waiting."""
    operation = states.ready("stalled", executor=Executor.CONSOLE)
    move_back(operation, LONGER_THAN_ANY_OTHER_SECONDS)
    stall_overdue(limit=1)
    return operation


def _open(make: Callable[[], Operation], question: Question) -> Callable[[], Subject]:
    def arrange() -> Subject:
        operation = make()
        cast.sign_in(cast.person("operator"), cast.person("approver"))
        return states.subject(operation, review=states.reviewed(operation, question))

    return arrange


def _settle(finding: str) -> Callable[[Subject], str]:
    def act(subject: Subject) -> str:
        return cast.decide(
            subject,
            cast.person("operator"),
            "review",
            subject.given["review"],
            finding=finding,
            reason=WHY,
        )

    return act


def _proposed(
    make: Callable[[], Operation], question: Question, finding: str
) -> Callable[[], Subject]:
    def arrange() -> Subject:
        subject = _open(make, question)()
        assert _settle(finding)(subject) == "303"
        return states.subject(subject.row, proposal=states.proposed(subject.row).pk)

    return arrange


def _second(subject: Subject) -> str:
    return cast.decide(
        subject,
        cast.person("approver"),
        "proposal_answer",
        subject.given["proposal"],
        answer="yes",
        reason="Asked there too.",
    )


def _compensate(subject: Subject) -> str:
    return cast.decide(
        subject,
        cast.person("operator"),
        "compensation",
        key=f"{subject.key}-new",
        payload_text='{"sku":"return of vanilla","quantity":6}',
        review_id=str(subject.given["review"]),
        reason=WHY,
    )


def _nothing_halted() -> Subject:
    operator = cast.actor("operator")
    for halt in Halt.objects.filter(lifted_at=None):
        resume_dispatch(halt_id=halt.pk, actor=operator, reason="Put right.")
    cast.sign_in(cast.person("operator"))
    return Subject(key=cast.a_key("halt"))


def _halted() -> Subject:
    subject = _nothing_halted()
    halt = halt_dispatch(
        actor=cast.actor("operator"), reason=WHY, environment=ENVIRONMENT, receiver=RECEIVER
    )
    subject.given["halt"] = halt.pk
    return subject


def _halt(subject: Subject) -> str:
    return cast.press(
        cast.person("operator"),
        reverse("operations:halts"),
        scope=f"{ENVIRONMENT}/{RECEIVER}",
        reason=WHY,
        decision_id=subject.key[:64],
    )


def _lift(subject: Subject) -> str:
    return cast.press(
        cast.person("operator"),
        reverse("operations:halt_lifting", args=[subject.given["halt"]]),
        reason=WHY,
        decision_id=subject.key[:64],
    )


def _standing(subject: Subject) -> str:
    return f"halts: {Halt.objects.filter(lifted_at=None).count()}"


def _flow(name: str, arrange: Callable[[], Subject], act: Callable[[Subject], str]) -> Flow:
    return Flow(name=name, role=Role.WEB, arrange=arrange, act=act)


def _switch(name: str, arrange: Callable[[], Subject], act: Callable[[Subject], str]) -> Flow:
    return Flow(name=name, role=Role.WEB, arrange=arrange, act=act, is_alone=True, seen=_standing)


Q = Question
FLOWS = (
    _flow("settle: not ours", _open(_mismatched, Q.RECEIPT_MISMATCH), _settle("not_ours")),
    _flow(
        "settle: ours all the same",
        _open(_mismatched, Q.RECEIPT_MISMATCH),
        _settle("confirmed_attested"),
    ),
    _flow(
        "settle: ours all the same, by two",
        _proposed(_mismatched, Q.RECEIPT_MISMATCH, "confirmed_attested"),
        _second,
    ),
    _flow("settle: late and not ours", _open(_late, Q.LATE_RECEIPT), _settle("not_ours")),
    _flow("settle: late and ours", _open(_late, Q.LATE_RECEIPT), _settle("corrected")),
    _flow("settle: late and ours, by two", _proposed(_late, Q.LATE_RECEIPT, "corrected"), _second),
    _flow(
        "settle: the successor goes on",
        _proposed(_held_successor, Q.LATE_RECEIPT, "stands"),
        _second,
    ),
    _flow("settle: stands", _open(_contradicted, Q.CONTRADICTION), _settle("stands")),
    _flow("settle: reversed", _open(_contradicted, Q.CONTRADICTION), _settle("reversed")),
    _flow("settle: compensated", _open(_two_effects, Q.DUPLICATE_EFFECT), _compensate),
    _flow("settle: second not ours", _open(_two_effects, Q.DUPLICATE_EFFECT), _settle("not_ours")),
    _flow(
        "settle: goes on after a duplicate",
        _open(_duplicate_answer, Q.DUPLICATE_ANSWER),
        _settle("resumed"),
    ),
    _flow("settle: goes on", _open(_stalled, Q.STALLED), _settle("resumed")),
    _flow("settle: waits", _open(_stalled, Q.STALLED), _settle("stands")),
    _switch("halt", _nothing_halted, _halt),
    _switch("resume", _halted, _lift),
)
