"""Asking for a lookup: for whoever may settle, and it sends and decides nothing."""

import pytest

from operations.actions.request_lookup import request_lookup
from operations.protocol.refusals import NoLookup, NotClaimable, NotPermitted
from operations.protocol.states import State
from tests.build import a_person, an_operation, as_actor
from tests.people import (
    a_manual_unknown,
    an_operator,
    an_unknown_outcome,
    refused_acts,
    the_entry,
)

pytestmark = pytest.mark.django_db


def test_an_operator_makes_a_lookup_due_and_nothing_else():
    operation, actor = an_unknown_outcome(), an_operator()
    version, due_at = operation.version, operation.next_try_at
    request_lookup(operation_id=operation.pk, actor=actor)
    operation.refresh_from_db()
    assert operation.next_try_at < due_at
    assert (operation.state, operation.version) == (State.SENT_UNKNOWN, version)
    assert the_entry(operation, "request_lookup").actor_id == actor.id


@pytest.mark.parametrize("role", ["viewer", "approver", "auditor", "admin"])
def test_others_may_look_and_not_ask(role):
    actor = as_actor(a_person("", role))
    with pytest.raises(NotPermitted):
        request_lookup(operation_id=an_unknown_outcome().pk, actor=actor)
    assert refused_acts(actor) == ["not_permitted"]


def test_a_receiver_without_lookup_is_not_asked():
    with pytest.raises(NoLookup):
        request_lookup(operation_id=a_manual_unknown().pk, actor=an_operator())


def test_nothing_sent_nothing_to_look_up():
    with pytest.raises(NotClaimable):
        request_lookup(operation_id=an_operation().pk, actor=an_operator())
