"""Who plays in a drill: an agent with a token for one run, a person who signs in nowhere."""

import pytest
from django.contrib.auth.models import Group, User

from operations.models import Agent, ApiToken, AuditEntry
from operations.registry import DRILL, DRILL_AGENT
from opsconsole.drill.cast import a_token
from opsconsole.drill.failing import CannotDrill
from tests.browsing import text_of
from tests.build import a_person
from tests.operations.api.caller import ApiCaller

pytestmark = pytest.mark.django_db


def test_the_token_reaches_the_drills_and_is_over_with_the_run():
    with a_token(lives_seconds=60) as secret:
        token = ApiToken.objects.get()
        caller = ApiCaller(token, secret)
        order = {
            "kind": "drill.order",
            "environment": DRILL,
            "payload": {"sku": "a", "quantity": 1},
        }
        assert caller.register(**order).status == 201
        assert caller.register().is_problem(403, "not_permitted")
    assert (token.environments, token.agent.name) == ([DRILL], DRILL_AGENT)
    assert caller.register(**order).is_problem(401, "unauthenticated")


def test_a_second_run_has_the_same_agent_and_another_token():
    for _ in range(2):
        with a_token(lives_seconds=60):
            pass
    assert Agent.objects.get().responsible == User.objects.get()
    assert ApiToken.objects.filter(revoked_at=None).count() == 0
    assert ApiToken.objects.count() == 2
    entries = AuditEntry.objects.filter(stream="access").order_by("seq")
    made = ["create_token", "revoke_token"]
    assert [(entry.event, entry.actor_id) for entry in entries] == [
        (event, "drill") for event in ["add_person", *made, *made]
    ]


def test_the_person_can_not_sign_in(client):
    with a_token(lives_seconds=60):
        person = User.objects.get(username=DRILL_AGENT)
        assert (person.has_usable_password(), person.email) == (False, "")
        for password in ("", "!", person.password, DRILL_AGENT):
            answer = client.post("/accounts/login/", {"login": DRILL_AGENT, "password": password})
            assert answer.status_code == 200
            assert "Sign in" in text_of(answer)
            assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("given", ["password", "role", "address", "is_staff"])
def test_an_account_that_could_do_something_is_refused(given):
    person = User(username=DRILL_AGENT, is_staff=given == "is_staff")
    person.email = "a@example.com" if given == "address" else ""
    person.set_password("a long pass-phrase" if given == "password" else None)
    person.save()
    if given == "role":
        person.groups.set(Group.objects.filter(name="viewer"))
    with (
        pytest.raises(CannotDrill, match="has a password, an address or a role"),
        a_token(lives_seconds=60),
    ):
        pass
    assert not ApiToken.objects.exists()


def test_an_agent_of_that_name_with_somebody_else_behind_it_is_refused():
    Agent.objects.create(name=DRILL_AGENT, responsible=a_person("ruth"))
    with pytest.raises(CannotDrill, match="ruth answers for this one"), a_token(lives_seconds=60):
        pass
    assert not ApiToken.objects.exists()
