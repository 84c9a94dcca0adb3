"""The halt switch on its page: stopping, letting go on, and who may."""

import pytest
from django.urls import reverse

from operations.actions.halt_dispatch import halt_dispatch
from operations.actions.mark_attempt import mark_attempt
from operations.models import AuditEntry, Halt
from operations.protocol.refusals import Halted
from tests.browsing import HTMX, Browser, forms_of, text_of
from tests.build import a_claim, a_person, agent_actor, an_operation, as_actor
from tests.operations.web.answering import token_of

pytestmark = pytest.mark.django_db

PAGE = "/halts/"
WHY = {"reason": "The supplier sends everything twice."}


def send(browser, shown, url, *, htmx=False, **typed):
    values = forms_of(shown)[url].values | typed
    return browser.client.post(url, values, headers=HTMX if htmx else {})


def lifting(halt):
    return reverse("operations:halt_lifting", args=[halt.pk])


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


@pytest.fixture
def halt() -> Halt:
    operator = Browser.of("operator")
    return halt_dispatch(actor=as_actor(operator.user), environment="production", **WHY)


@pytest.mark.parametrize(
    ("scope", "environment", "receiver", "words"),
    [
        ("/", "", "", "everything"),
        ("staging/", "staging", "", "everything in staging"),
        ("/sandbox", "", "sandbox", "sandbox everywhere"),
        ("production/manual", "production", "manual", "manual in production"),
    ],
)
def test_a_scope_is_halted_with_its_reason(operator, scope, environment, receiver, words):
    answer = send(operator, operator.get(PAGE), PAGE, scope=scope, **WHY)
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    halt = Halt.objects.get()
    assert (halt.environment, halt.receiver, halt.reason) == (environment, receiver, WHY["reason"])
    assert halt.halted_by == operator.user
    assert f"Dispatch is halted: {words}." in text_of(operator.get(PAGE))
    entry = AuditEntry.objects.get(event="halt_dispatch")
    assert (entry.stream, entry.words.reason) == ("configuration", WHY["reason"])


def test_it_holds_at_the_mark(operator):
    operation = an_operation()
    claim = a_claim(operation)
    send(operator, operator.get(PAGE), PAGE, scope="/", **WHY)
    with pytest.raises(Halted):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
        )


def test_every_page_says_that_dispatch_is_halted(operator, halt):
    text = text_of(Browser.of("viewer").get("/operations/"))
    assert "Dispatch is halted in production." in text
    assert WHY["reason"] in text


def test_htmx_loads_the_page_anew_whose_head_says_what_is_halted(operator):
    answer = send(operator, operator.get(PAGE), PAGE, htmx=True, scope="/", **WHY)
    assert (answer.status_code, answer["HX-Redirect"]) == (200, PAGE)
    shown = text_of(operator.get(PAGE))
    assert "Dispatch is halted: everything." in shown
    assert "Dispatch is halted everywhere." in shown


@pytest.mark.parametrize(
    "typed", [{"scope": "", **WHY}, {"scope": "/", "reason": " "}, {"scope": "moon/", **WHY}]
)
@pytest.mark.parametrize("htmx", [False, True])
def test_a_form_that_cannot_be_read_halts_nothing(operator, typed, htmx):
    answer = send(operator, operator.get(PAGE), PAGE, htmx=htmx, **typed)
    assert answer.status_code == 422
    assert typed["reason"].strip() in text_of(answer)
    assert not Halt.objects.exists()


def test_nothing_is_chosen_beforehand(operator):
    text = text_of(operator.get(PAGE))
    assert '<option value="" selected>choose what stops</option>' in text


def test_a_halt_is_lifted_with_its_reason(operator, halt):
    answer = send(operator, operator.get(PAGE), lifting(halt), reason="They fixed it.")
    assert answer.status_code == 303
    halt.refresh_from_db()
    assert (halt.lifted_by, halt.lift_reason) == (operator.user, "They fixed it.")
    text = text_of(operator.get(PAGE))
    assert "Nothing is halted" in text
    assert "They fixed it." in text
    assert AuditEntry.objects.filter(event="resume_dispatch").count() == 1


def test_a_halt_that_somebody_lifted_meanwhile_is_said(operator, halt):
    shown = operator.get(PAGE)
    other = Browser.of("operator")
    send(other, other.get(PAGE), lifting(halt), reason="They fixed it.")
    answer = send(operator, shown, lifting(halt), htmx=True, reason="Me too.")
    assert answer.status_code == 409
    assert f"lifted (by {other.user.username}" in text_of(answer)
    halt.refresh_from_db()
    assert halt.lift_reason == "They fixed it."


def test_pressing_twice_is_one_halt_and_one_entry(operator):
    shown = operator.get(PAGE)
    for _ in range(2):
        assert send(operator, shown, PAGE, scope="/", **WHY).status_code == 303
    assert Halt.objects.count() == 1
    assert AuditEntry.objects.filter(event="halt_dispatch").count() == 1


@pytest.mark.parametrize("role", ["viewer", "approver", "auditor"])
def test_others_see_it_and_get_no_form(role, halt):
    browser = Browser.of(role)
    answer = browser.get(PAGE)
    assert WHY["reason"] in text_of(answer)
    assert not {PAGE, lifting(halt)} & set(forms_of(answer))
    forged = {"csrfmiddlewaretoken": token_of(browser), "decision_id": "x", "reason": "x"}
    assert browser.client.post(PAGE, forged | {"scope": "/"}).status_code == 403
    assert browser.client.post(lifting(halt), forged).status_code == 403
    assert Halt.objects.filter(lifted_at=None).count() == 1
    assert AuditEntry.objects.filter(event="refused_act").count() == 2


def test_an_administrator_may_stop_everything():
    admin = Browser.of("admin")
    assert send(admin, admin.get(PAGE), PAGE, scope="/", **WHY).status_code == 303


def test_an_unknown_halt_is_refused(operator):
    values = {"csrfmiddlewaretoken": token_of(operator), "decision_id": "x", "reason": "x"}
    answer = operator.client.post("/halts/999/lifting/", values)
    assert answer.status_code == 404
    assert "There is no halt 999" in text_of(answer)


def test_read_by_get_a_lifting_leads_to_the_page(operator, halt):
    assert operator.get(lifting(halt))["Location"] == PAGE


def test_without_its_csrf_token_nothing_is_halted(operator):
    assert operator.client.post(PAGE, {"scope": "/", **WHY}).status_code == 403
    assert not Halt.objects.exists()


def test_the_page_takes_few_queries(operator, halt, django_assert_max_num_queries):
    for scope in ("staging/", "/sandbox", "/manual"):
        send(operator, operator.get(PAGE), PAGE, scope=scope, **WHY)
    with django_assert_max_num_queries(9):
        operator.get(PAGE)


def test_a_halt_without_the_role_is_refused_before_its_form_is_read(client):
    client.force_login(a_person("", "viewer"))
    assert client.post("/halts/", {}).status_code == 403
    assert AuditEntry.objects.get(event="refused_act").detail["act"] == "halt_dispatch"
