"""What an operator's decisions do in a web process: the forms of the operation's page."""

from collections.abc import Callable

from operations.models import Operation
from operations.protocol.states import Channel
from tests.build import a_receipt, receive
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject

WHY = "Asked the receiver."


def _at(make: Callable[[], Operation]) -> Callable[[], Subject]:
    def arrange() -> Subject:
        operation = make()
        cast.sign_in(cast.person("operator"), cast.person("operator", 2))
        return states.subject(operation)

    return arrange


def _marked() -> Operation:
    return states.marked("settled")[0]


def _unknown() -> Operation:
    return states.unknown("settled")


def _ready() -> Operation:
    return states.ready("settled")


def with_evidence() -> Operation:
    """An early word of the receiver that nobody has explained."""
    operation = _marked()
    receive(operation, a_receipt(operation, status="pending"), channel=Channel.WEBHOOK)
    return operation


def attest(subject: Subject, quantity: str = "6") -> str:
    """The receipt, as read off the receiver's record."""
    return cast.decide(
        subject,
        cast.person("operator"),
        "attestation",
        operation_key=subject.key,
        effect_id=f"read-{subject.key}",
        status="confirmed",
        value_0="vanilla",
        value_1=quantity,
        evidence="order desk, by telephone",
        reason=WHY,
    )


def _attest_another_quantity(subject: Subject) -> str:
    return attest(subject, "7")


def release(subject: Subject) -> str:
    """Propose one more send."""
    return cast.decide(subject, cast.person("operator"), "release", reason=WHY)


def find_not_executed(subject: Subject) -> str:
    """Propose that nothing happened."""
    return cast.decide(
        subject, cast.person("operator"), "finding", reason=WHY, named_answer="Ms Okafor"
    )


def set_aside(subject: Subject) -> str:
    """Propose that the kept word changes nothing."""
    receipt = subject.row.receipts.get()
    return cast.decide(
        subject,
        cast.person("operator"),
        "explanation",
        evidence=f"receipt-{receipt.pk}",
        finding="stands",
        reason=WHY,
    )


def _look_up(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "lookup")


def _close_attempt(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "closure", generation="1", reason=WHY)


def _half_closed() -> Operation:
    operation = states.manual_unknown("closed")
    subject = states.subject(operation)
    cast.decide(
        subject,
        cast.person("operator", 2),
        "closure",
        generation="1",
        reason="It was re-imaged.",
        decision_id=f"first-{subject.key}"[:64],
    )
    return operation


def _supersede(subject: Subject) -> str:
    return _follow_up(subject, "supersession")


def _compensate(subject: Subject) -> str:
    return _follow_up(subject, "compensation")


def _follow_up(subject: Subject, noun: str) -> str:
    return cast.decide(
        subject,
        cast.person("operator"),
        noun,
        key=f"{subject.key}-new",
        kind="supplier.order",
        payload_text='{"sku":"return of vanilla","quantity":6}',
        reason=WHY,
    )


def _withdraw(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "cancellation", reason=WHY)


def _take(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "case", lease_seconds="3600")


def _taken() -> Operation:
    operation = _unknown()
    _take(states.subject(operation))
    return operation


def _hand_back(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "hand_back")


def _note(subject: Subject) -> str:
    return cast.decide(subject, cast.person("operator"), "note", text="Call back at two.")


def _flow(name: str, make: Callable[[], Operation], act: Callable[[Subject], str]) -> Flow:
    return Flow(name=name, role=Role.WEB, arrange=_at(make), act=act)


FLOWS = (
    _flow("ask for a lookup on the page", _marked, _look_up),
    _flow("propose an attestation", _unknown, attest),
    _flow("attest another quantity", _unknown, _attest_another_quantity),
    _flow("propose a release", _unknown, release),
    _flow("propose that nothing happened", _unknown, find_not_executed),
    _flow("propose to set evidence aside", with_evidence, set_aside),
    _flow("close an attempt", lambda: states.manual_unknown("closed"), _close_attempt),
    _flow("close an attempt as the second", _half_closed, _close_attempt),
    _flow("supersede", lambda: states.refused("superseded"), _supersede),
    _flow("compensate", lambda: states.confirmed("compensated"), _compensate),
    _flow("withdraw on the page", _ready, _withdraw),
    _flow("take a case", _unknown, _take),
    _flow("hand a case back", _taken, _hand_back),
    _flow("note", _ready, _note),
)
