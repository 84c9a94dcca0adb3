"""The halt switch: by scope, with a reason, effective at the mark."""

import pytest

from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.actions.mark_attempt import mark_attempt
from operations.models import AuditEntry, Halt
from operations.protocol.refusals import (
    AlreadyDecided,
    Halted,
    InvalidField,
    NotFound,
    NotPermitted,
    UnknownEnvironment,
    UnknownReceiver,
)
from operations.protocol.states import State
from tests.build import a_claim, a_person, agent_actor, an_operation, as_actor
from tests.people import an_approver, an_operator, refused_acts

pytestmark = pytest.mark.django_db


def mark(operation, claim):
    return mark_attempt(
        operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
    )


@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"environment": "production"},
        {"receiver": "sandbox"},
        {"environment": "production", "receiver": "sandbox"},
    ],
)
def test_no_mark_goes_through_within_the_scope_of_a_halt(scope):
    operation = an_operation()
    claim = a_claim(operation)
    halt_dispatch(actor=an_operator("olga"), reason="Wrong prices.", **scope)
    with pytest.raises(Halted, match="olga"):
        mark(operation, claim)
    operation.refresh_from_db()
    assert operation.state == State.READY


def test_another_scope_goes_on():
    halt_dispatch(actor=an_operator(), reason="Wrong prices.", environment="staging")
    operation = an_operation()
    assert mark(operation, a_claim(operation)).generation == 1


def test_after_the_halt_is_lifted_marks_go_through():
    operation = an_operation()
    claim = a_claim(operation)
    halt = halt_dispatch(actor=an_operator(), reason="Wrong prices.")
    lifted = resume_dispatch(halt_id=halt.pk, actor=an_operator(), reason="Corrected.")
    assert lifted.lifted_at is not None
    assert mark(operation, claim).generation == 1


def test_halting_and_resuming_are_on_the_configuration_trail_with_their_reasons():
    actor = an_operator()
    halt = halt_dispatch(actor=actor, reason="Wrong prices.")
    resume_dispatch(halt_id=halt.pk, actor=actor, reason="Corrected.")
    entries = AuditEntry.objects.filter(stream="configuration").order_by("seq")
    told = [(e.event, e.words.reason, e.actor_id) for e in entries]
    assert told == [
        ("halt_dispatch", "Wrong prices.", actor.id),
        ("resume_dispatch", "Corrected.", actor.id),
    ]


def test_halting_twice_keeps_the_first_halt():
    first = halt_dispatch(actor=an_operator(), reason="Wrong prices.")
    second = halt_dispatch(actor=an_operator(), reason="Me too.")
    assert second.pk == first.pk
    assert Halt.objects.get().reason == "Wrong prices."


def test_the_one_who_lifts_second_learns_who_did():
    halt = halt_dispatch(actor=an_operator(), reason="Wrong prices.")
    resume_dispatch(halt_id=halt.pk, actor=an_operator("olga"), reason="Corrected.")
    with pytest.raises(AlreadyDecided, match="olga"):
        resume_dispatch(halt_id=halt.pk, actor=an_operator(), reason="Corrected.")


def test_a_double_click_on_resume_is_one_resumption():
    halt, olga = halt_dispatch(actor=an_operator(), reason="Wrong prices."), an_operator()
    for _ in range(2):
        resume_dispatch(halt_id=halt.pk, actor=olga, reason="Corrected.", decision_id="form-5")
    assert AuditEntry.objects.filter(event="resume_dispatch").count() == 1


def test_an_admin_halts_too_and_an_approver_does_not():
    halt_dispatch(actor=as_actor(a_person("", "admin")), reason="Wrong prices.")
    approver = an_approver()
    with pytest.raises(NotPermitted):
        halt_dispatch(actor=approver, reason="Wrong prices.", environment="staging")
    assert refused_acts(approver) == ["not_permitted"]


def test_a_scope_that_is_not_configured_is_refused():
    with pytest.raises(UnknownEnvironment):
        halt_dispatch(actor=an_operator(), reason="x", environment="moon")
    with pytest.raises(UnknownReceiver, match="sandbox"):
        halt_dispatch(actor=an_operator(), reason="x", receiver="nobody")
    assert not Halt.objects.exists()


def test_a_halt_needs_a_reason():
    with pytest.raises(InvalidField):
        halt_dispatch(actor=an_operator(), reason="")


def test_an_unknown_halt_is_not_found():
    with pytest.raises(NotFound):
        resume_dispatch(halt_id=99, actor=an_operator(), reason="Corrected.")
