"""Signing in and out on our own pages, the second factor, and the entries that they leave."""

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.cache import cache

from operations.models import AuditEntry
from tests.browsing import Browser, text_of, the_form
from tests.build import a_person

pytestmark = pytest.mark.django_db

LOGIN, LOGOUT = "/accounts/login/", "/accounts/logout/"
PASSWORD = "a long pass-phrase"


@pytest.fixture(autouse=True)
def no_tries_before() -> None:
    cache.clear()


@pytest.fixture
def on_commit(django_capture_on_commit_callbacks):
    """What is told after a commit is told here too, though a test commits nothing."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def sign_in(client, username, password=PASSWORD, **more):
    return client.post(LOGIN, {"login": username, "password": password, **more})


def entries():
    rows = AuditEntry.objects.filter(stream="access").order_by("id")
    return [(row.event, row.actor_kind, row.actor_id) for row in rows]


def test_a_person_signs_in_and_comes_to_where_they_were_going(client):
    ruth = a_person("ruth", "operator")
    answer = sign_in(client, "ruth", next="/operations/?state=ready")
    assert answer["Location"] == "/operations/?state=ready"
    assert client.get("/operations/").status_code == 200
    assert entries() == [("sign_in", "person", str(ruth.pk))]


def test_a_link_to_elsewhere_is_not_followed(client):
    a_person("ruth", "operator")
    assert sign_in(client, "ruth", next="https://evil.example/")["Location"] == "/"


def test_a_wrong_password_is_recorded_without_naming_anybody_for_good(client):
    ruth = a_person("ruth", "operator")
    answer = sign_in(client, "ruth", "wrong")
    assert answer.status_code == 200
    assert "username and/or password" in text_of(answer)
    entry = AuditEntry.objects.get(event="sign_in_failed")
    assert (entry.detail, entry.words.reason) == ({"person": ruth.pk}, "as ruth")
    assert b"ruth" not in bytes(entry.body)


def test_an_unknown_name_is_answered_like_a_wrong_password(client):
    a_person("ruth")
    wrong, unknown = sign_in(client, "ruth", "wrong"), sign_in(client, "nobody", "wrong")
    assert wrong.context["form"].errors == unknown.context["form"].errors


def test_a_disabled_person_does_not_come_in(client):
    ruth = a_person("ruth", "operator")
    ruth.is_active = False
    ruth.save()
    answer = client.post(LOGIN, {"login": "ruth", "password": PASSWORD}, follow=True)
    assert client.get("/operations/").status_code == 302
    assert "<html" in text_of(answer)


def test_too_many_tries_are_turned_away(client):
    a_person("ruth")
    answers = [sign_in(client, "ruth", "wrong") for _ in range(6)]
    assert "Too many failed login attempts" in text_of(answers[-1])
    assert "Too many failed login attempts" in text_of(sign_in(client, "ruth"))


def test_a_flood_of_sign_ins_gets_our_page(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    a_person("ruth")
    sign_in(client, "ruth", "wrong")
    answer = sign_in(client, "ruth", "wrong")
    assert answer.status_code == 429
    assert "Too many tries" in text_of(answer)


def test_signing_out_takes_a_press_and_says_so():
    browser = Browser.of("viewer")
    shown = browser.get(LOGOUT)
    assert browser.get("/operations/").status_code == 200
    answer = browser.client.post(LOGOUT, the_form(shown, "logout").values)
    assert answer["Location"] == "/accounts/signed-out/"
    assert "You are signed out" in text_of(browser.get("/accounts/signed-out/"))
    assert browser.get("/operations/").status_code == 302
    assert entries()[-1] == ("sign_out", "person", str(browser.user.pk))


def test_nobody_signs_up(client):
    answer = client.get("/accounts/signup/")
    assert "Accounts are made by an administrator" in text_of(answer)
    values = {"username": "me", "password1": PASSWORD, "password2": PASSWORD}
    client.post("/accounts/signup/", values)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("path", ["email/", "password/reset/", "confirm-email/", "social/signup/"])
def test_there_is_no_page_that_needs_mail(client, path):
    assert client.get(f"/accounts/{path}").status_code == 404


def test_a_password_is_changed_and_recorded():
    browser = Browser(a_person("ruth", "viewer"))
    values = the_form(browser.get("/accounts/password/change/"), "change").values
    typed = {
        "oldpassword": PASSWORD,
        "password1": "another pass-phrase",
        "password2": "another pass-phrase",
    }
    assert browser.client.post("/accounts/password/change/", values | typed).status_code == 302
    browser.user.refresh_from_db()
    assert browser.user.check_password("another pass-phrase")
    assert entries()[-1][0] == "change_password"


def code_for(secret: str) -> str:
    """The code that the app shows now."""
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


@pytest.fixture
def secret(client, on_commit) -> str:
    """The secret of an app that ruth, who is signed in now, has added."""
    a_person("ruth", "viewer")
    sign_in(client, "ruth")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    shown = client.get("/accounts/2fa/totp/activate/")
    secret = shown.context["form"].secret
    assert 'src="data:image/svg+xml;base64,' in text_of(shown)
    with on_commit():
        answer = client.post("/accounts/2fa/totp/activate/", {"code": code_for(secret)})
    assert answer["Location"] == "/accounts/2fa/recovery-codes/"
    return secret


def test_a_second_factor_is_asked_for_from_then_on(client, secret):
    assert "second_factor_added" in [event for event, *_ in entries()]
    client.post(LOGOUT)
    cache.clear()  # the app's code was used a moment ago
    answer = sign_in(client, "ruth")
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/operations/").status_code == 302
    assert "authenticator app" in text_of(client.get("/accounts/2fa/authenticate/"))
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert client.get("/operations/").status_code == 302
    client.post("/accounts/2fa/authenticate/", {"code": code_for(secret)})
    assert client.get("/operations/").status_code == 200


def test_recovery_codes_are_shown_made_anew_and_recorded(client, secret, on_commit):
    shown = client.get("/accounts/2fa/recovery-codes/")
    codes = shown.context["unused_codes"]
    assert codes[0] in text_of(shown)
    with on_commit():
        client.post("/accounts/2fa/recovery-codes/generate/")
    assert codes[0] not in text_of(client.get("/accounts/2fa/recovery-codes/"))
    assert entries()[-1][:2] == ("second_factor_reset", "person")


def test_a_second_factor_is_removed_and_recorded(client, secret, on_commit):
    assert "on</span>" in text_of(client.get("/accounts/2fa/"))
    assert "Remove the authenticator app" in text_of(client.get("/accounts/2fa/totp/deactivate/"))
    with on_commit():
        client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert "second_factor_removed" in [event for event, *_ in entries()]


def test_what_protects_an_account_is_not_touched_without_a_fresh_password():
    browser = Browser(a_person("ruth", "viewer"))  # signed in, nobody knows how
    answer = browser.get("/accounts/2fa/totp/activate/")
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    shown = browser.get(answer["Location"])
    assert "Is it still you?" in text_of(shown)
    values = the_form(shown, "reauthenticate").values | {"password": PASSWORD}
    assert browser.client.post("/accounts/reauthenticate/", values).status_code == 302
    assert browser.get("/accounts/2fa/totp/activate/").status_code == 200
