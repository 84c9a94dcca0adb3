"""Administration: who gets in, what can be changed there, and the entries that it leaves."""

import pytest
from django.contrib.auth.models import Group, User

from operations.admin import site
from operations.models import Agent, ApiToken, AuditEntry
from tests.browsing import Browser, text_of
from tests.build import a_person, an_agent

pytestmark = pytest.mark.django_db

INDEX = "/admin/"


def save(browser, url, **typed):
    """Fill in the form of an admin page and save it."""
    shown = browser.get(url)
    assert shown.status_code == 200
    values = {"csrfmiddlewaretoken": shown.context["csrf_token"]} | typed
    return browser.client.post(url, values)


def the_entry(event):
    return AuditEntry.objects.get(event=event)


def role(name):
    return Group.objects.get(name=name)


@pytest.fixture
def admin() -> Browser:
    return Browser.of("admin")


def test_only_people_groups_agents_and_tokens_are_there():
    assert set(site._registry) == {User, Group, Agent, ApiToken}


@pytest.mark.parametrize("name", ["viewer", "operator", "approver", "auditor"])
def test_other_roles_do_not_get_in(name):
    assert Browser.of(name).get(INDEX, follow=True).status_code == 403


def test_a_superuser_without_the_role_does_not_get_in():
    user = a_person()
    User.objects.filter(pk=user.pk).update(is_superuser=True, is_staff=True)
    assert Browser(user).get(INDEX, follow=True).status_code == 403


def test_anonymous_people_come_in_by_the_consoles_own_sign_in(client):
    answer = client.get(INDEX, follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=/admin/")


@pytest.mark.parametrize(
    "page",
    [
        "",
        "auth/user/",
        "auth/group/",
        "operations/agent/",
        "operations/apitoken/",
        "auth/user/add/",
        "operations/agent/add/",
        "operations/apitoken/add/",
    ],
)
def test_its_pages_open(admin, page):
    an_agent()
    assert admin.get(f"{INDEX}{page}").status_code == 200


def test_nothing_can_be_deleted(admin):
    agent = an_agent()
    for place in (
        f"auth/user/{agent.responsible_id}/",
        f"operations/agent/{agent.pk}/",
        f"auth/group/{role('viewer').pk}/",
    ):
        assert admin.get(f"{INDEX}{place}delete/").status_code == 403
        assert "deletelink" not in text_of(admin.get(f"{INDEX}{place}change/"))


def test_a_role_is_given_and_the_entry_says_before_and_after(admin):
    person = a_person("ruth", "viewer")
    url = f"{INDEX}auth/user/{person.pk}/change/"
    answer = save(
        admin, url, username="ruth", is_active="on", groups=[role("viewer").pk, role("operator").pk]
    )
    assert answer.status_code == 302
    assert set(person.groups.values_list("name", flat=True)) == {"viewer", "operator"}
    entry = the_entry("change_person")
    assert (entry.stream, entry.actor_id) == ("access", str(admin.user.pk))
    assert entry.detail == {
        "person": person.pk,
        "fields": ["groups"],
        "before": {"roles": ["viewer"], "is_active": True},
        "after": {"roles": ["operator", "viewer"], "is_active": True},
    }
    assert entry.words.reason == "the account ruth"


def test_a_disabled_person_is_an_entry_too(admin):
    person = a_person("ruth", "viewer")
    save(
        admin, f"{INDEX}auth/user/{person.pk}/change/", username="ruth", groups=[role("viewer").pk]
    )
    person.refresh_from_db()
    assert not person.is_active
    assert the_entry("change_person").detail["after"]["is_active"] is False


def test_nobody_gives_themselves_a_role(admin):
    url = f"{INDEX}auth/user/{admin.user.pk}/change/"
    save(admin, url, username=admin.user.username, groups=[role("approver").pk])
    admin.user.refresh_from_db()
    assert admin.user.is_active
    assert [group.name for group in admin.user.groups.all()] == ["admin"]


def test_a_posted_superuser_flag_changes_nothing(admin):
    person = a_person("ruth")
    save(
        admin,
        f"{INDEX}auth/user/{person.pk}/change/",
        username="ruth",
        is_active="on",
        is_superuser="on",
        is_staff="on",
    )
    person.refresh_from_db()
    assert (person.is_superuser, person.is_staff) == (False, False)


def test_an_account_is_made_and_a_new_password_is_recorded(admin):
    typed = {
        "usable_password": "true",
        "password1": "a new pass-phrase",
        "password2": "a new pass-phrase",
    }
    save(admin, f"{INDEX}auth/user/add/", username="new-person", **typed)
    person = User.objects.get(username="new-person")
    assert the_entry("add_person").detail["person"] == person.pk
    typed = {key: text.replace("new", "newer") for key, text in typed.items()}
    answer = save(admin, f"{INDEX}auth/user/{person.pk}/password/", **typed)
    assert answer.status_code == 302
    person.refresh_from_db()
    assert person.check_password("a newer pass-phrase")
    assert the_entry("change_person").detail == {"person": person.pk, "fields": ["password"]}


def test_roles_are_read_only(admin):
    assert admin.get(f"{INDEX}auth/group/add/").status_code == 403
    page = f"{INDEX}auth/group/{role('operator').pk}/change/"
    assert "settle" in text_of(admin.get(page))
    shown = admin.get(page)
    values = {"csrfmiddlewaretoken": shown.context["csrf_token"], "name": "boss"}
    assert admin.client.post(page, values).status_code == 403
    assert role("operator").name == "operator"


def test_an_agent_is_made_and_changed_with_entries(admin):
    owner, other = a_person("olga"), a_person("otto")
    save(admin, f"{INDEX}operations/agent/add/", name="buyer", responsible=owner.pk)
    agent = Agent.objects.get(name="buyer")
    assert the_entry("add_agent").detail["responsible"] == owner.pk
    save(admin, f"{INDEX}operations/agent/{agent.pk}/change/", responsible=other.pk)
    agent.refresh_from_db()
    assert (agent.responsible, agent.is_active, agent.name) == (other, False, "buyer")
    assert the_entry("change_agent").detail["before"] == {
        "responsible": owner.pk,
        "is_active": True,
    }


def test_a_token_is_shown_once_and_kept_as_a_digest(admin):
    agent = an_agent("buyer")
    typed = {"agent": agent.pk, "owner": agent.responsible_id, "environments": ["staging"]}
    answer = save(admin, f"{INDEX}operations/apitoken/add/", **typed)
    token = ApiToken.objects.get()
    secret = text_of(answer).split("<code>")[1].split("</code>")[0]
    assert secret.startswith(token.prefix)
    assert "no-store" in answer["Cache-Control"]
    assert token.environments == ["staging"]
    page = text_of(admin.get(f"{INDEX}operations/apitoken/{token.pk}/change/"))
    assert secret not in page
    assert token.digest not in page
    assert the_entry("create_token").actor_id == str(admin.user.pk)


@pytest.mark.parametrize(
    "typed", [{"environments": ["moon"]}, {"expires_at_0": "2020-01-01", "expires_at_1": "00:00"}]
)
def test_a_token_that_reaches_nothing_or_is_over_is_not_made(admin, typed):
    agent = an_agent("buyer")
    answer = save(
        admin,
        f"{INDEX}operations/apitoken/add/",
        agent=agent.pk,
        owner=agent.responsible_id,
        **typed,
    )
    assert answer.status_code == 200
    assert "errornote" in text_of(answer)
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_once(admin):
    agent = an_agent("buyer")
    save(admin, f"{INDEX}operations/apitoken/add/", agent=agent.pk, owner=agent.responsible_id)
    token = ApiToken.objects.get()
    for _ in range(2):
        answer = save(
            admin, f"{INDEX}operations/apitoken/", action="revoke", _selected_action=[token.pk]
        )
        assert answer.status_code == 302
    token.refresh_from_db()
    assert token.revoked_at
    assert the_entry("revoke_token").detail["token"] == token.pk
