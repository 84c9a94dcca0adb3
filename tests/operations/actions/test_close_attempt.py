"""Two people, at most one of them connected with the request, record that a sender is gone."""

import pytest

from operations.actions.close_attempt import close_attempt
from operations.actions.end_attempt import end_attempt
from operations.protocol.refusals import ChoiceClosed, NotFound, OwnRequest
from operations.queries.facts import facts_of
from tests.build import (
    a_marked_operation,
    a_person,
    agent_actor,
    an_agent,
    as_actor,
    move_back,
)
from tests.people import a_manual_unknown, an_approver, an_operator, the_entry

pytestmark = pytest.mark.django_db


def close(operation, actor=None, *, generation=1):
    done = close_attempt(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        generation=generation,
        reason="Its host was rebooted at nine.",
    )
    operation.refresh_from_db()
    return done


def is_closed(operation):
    return facts_of(operation).attempts[0].is_closed


def closed_code(operation, actor=None):
    with pytest.raises(ChoiceClosed) as refused:
        close(operation, actor)
    return refused.value.members["closed_code"]


def test_one_record_is_not_enough_two_are():
    operation = a_manual_unknown()
    version = operation.version
    close(operation)
    assert not is_closed(operation)
    close(operation, an_approver())
    assert is_closed(operation)
    assert operation.version == version
    assert the_entry(operation, "sender_gone").detail["records"] == 2


def test_the_same_person_counts_once():
    operation, actor = a_manual_unknown(), an_operator()
    close(operation, actor)
    assert closed_code(operation, actor) == "needs_second_person"


def test_a_closed_attempt_is_not_closed_again():
    operation = a_manual_unknown()
    close(operation)
    close(operation)
    assert closed_code(operation) == "wrong_state"


def test_an_attempt_that_its_sender_ended_is_closed():
    operation, attempt = a_marked_operation(receiver="manual")
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        generation=1,
        outcome="unknown",
        detail="timed out",
    )
    move_back(operation, 60)
    assert closed_code(operation) == "wrong_state"


def test_while_the_sender_may_still_act_it_is_not_closed():
    operation, _ = a_marked_operation(receiver="manual")
    assert closed_code(operation) == "attempt_open"


def test_two_who_had_a_part_in_the_request_do_not_close_it_between_them():
    owner, later = a_person("", "operator"), a_person("", "operator")
    agent = an_agent(responsible=owner)
    operation = a_manual_unknown(agent=agent)
    agent.responsible = later
    agent.save(update_fields=["responsible"])
    close(operation, as_actor(owner))
    with pytest.raises(OwnRequest):
        close(operation, as_actor(later))
    close(operation, an_operator())
    assert is_closed(operation)


def test_an_unknown_generation_is_not_found():
    with pytest.raises(NotFound):
        close(a_manual_unknown(), generation=2)
