"""Who plays in a drill: an agent with a token for one run, a person who signs in nowhere."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection, transaction

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


@pytest.mark.django_db(transaction=True)
def test_of_two_that_come_at_once_one_makes_the_account_and_the_other_finds_it():
    def take():
        with a_token(lives_seconds=60):
            return User.objects.get(username=DRILL_AGENT).pk

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = User(username=DRILL_AGENT)
            first.set_unusable_password()
            first.save()
            second = pool.submit(and_disconnect, take)
            until_one_waits()
        assert second.result(timeout=20) == first.pk
    assert not AuditEntry.objects.filter(event="add_person").exists()


def until_one_waits():
    ends_at = time.monotonic() + 20
    with connection.cursor() as cursor:
        while time.monotonic() < ends_at:
            cursor.execute(
                "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
            )
            if cursor.fetchone():
                return
            time.sleep(0.05)
    raise AssertionError("expected the other one to wait for the account")


def and_disconnect(act):
    try:
        return act()
    finally:
        connection.close()


def test_the_person_can_not_sign_in(client):
    with a_token(lives_seconds=60):
        person = User.objects.get(username=DRILL_AGENT)
        assert (person.has_usable_password(), person.email) == (False, "")
        for password in ("", "!", person.password, DRILL_AGENT):
            answer = client.post("/accounts/login/", {"login": DRILL_AGENT, "password": password})
            assert answer.status_code == 200
            assert "Sign in" in text_of(answer)
            assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("given", ["password", "role", "address", "is_staff", "permission"])
def test_an_account_that_could_do_something_is_refused(given):
    person = User(username=DRILL_AGENT, is_staff=given == "is_staff")
    person.email = "a@example.com" if given == "address" else ""
    person.set_password("a long pass-phrase" if given == "password" else None)
    person.save()
    if given == "role":
        person.groups.set(Group.objects.filter(name="viewer"))
    if given == "permission":
        person.user_permissions.set(Permission.objects.filter(codename="add_user"))
    with (
        pytest.raises(CannotDrill, match="has a password, an address, a role or a permission"),
        a_token(lives_seconds=60),
    ):
        pass
    assert not ApiToken.objects.exists()


def test_an_agent_of_that_name_with_somebody_else_behind_it_is_refused():
    Agent.objects.create(name=DRILL_AGENT, responsible=a_person("ruth"))
    with pytest.raises(CannotDrill, match="ruth answers for this one"), a_token(lives_seconds=60):
        pass
    assert not ApiToken.objects.exists()
