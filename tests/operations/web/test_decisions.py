"""The policy that every decision of the operation page keeps."""

import pytest
from django.urls import reverse

from operations.models import AuditEntry, Note, Operation
from operations.protocol.states import State
from tests.browsing import Browser, forms_of, has_form, text_of, the_form
from tests.build import a_person, an_operation
from tests.people import an_unknown_outcome, the_entry

pytestmark = pytest.mark.django_db

CANCEL = {"reason": "asked twice by mistake"}


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


@pytest.fixture
def operation() -> Operation:
    return an_operation()


def state_of(operation: Operation) -> str:
    operation.refresh_from_db()
    return operation.state


def test_a_plain_form_is_answered_by_a_page_that_a_reload_only_reads(operator, operation) -> None:
    answer = operator.send(operator.open(operation), "cancellation", **CANCEL)
    assert answer.status_code == 303
    assert answer["Location"] == reverse("operations:detail", args=[operation.pk])
    assert "Cancelled. Nothing was sent" in text_of(operator.open(operation))
    assert state_of(operation) == State.CANCELLED


def test_htmx_gets_the_region_with_what_was_done(operator, operation) -> None:
    answer = operator.send(operator.open(operation), "cancellation", htmx=True, **CANCEL)
    assert answer.status_code == 200
    assert "<html" not in text_of(answer)
    assert "Cancelled. Nothing was sent" in text_of(answer)
    assert 'data-state="cancelled"' in text_of(answer)


def test_the_actor_and_the_request_are_in_the_trail(operator, operation) -> None:
    operator.send(operator.open(operation), "cancellation", **CANCEL)
    entry = the_entry(operation, "cancel")
    assert (entry.actor_id, entry.words.reason) == (str(operator.user.pk), CANCEL["reason"])
    assert entry.request_id


@pytest.mark.parametrize("htmx", [False, True])
def test_a_form_without_its_reason_comes_back_and_changes_nothing(
    operator, operation, htmx
) -> None:
    answer = operator.send(operator.open(operation), "cancellation", htmx=htmx, reason="  ")
    assert answer.status_code == 422
    assert "This field is required." in text_of(answer)
    assert state_of(operation) == State.READY


@pytest.mark.parametrize(("htmx", "status"), [(False, 409), (True, 409)])
def test_a_stale_version_is_refused_with_what_changed_and_the_text_kept(
    operator, operation, htmx, status
) -> None:
    shown = operator.open(operation)
    other = Browser.of("operator")
    other.send(other.open(operation), "cancellation", reason="no longer wanted")
    answer = operator.send(shown, "cancellation", htmx=htmx, **CANCEL)
    assert answer.status_code == status
    assert "expected version 2, got 1" in text_of(answer)
    assert f"Cancelled; nothing was sent, by {other.user.username}" in text_of(answer)
    assert CANCEL["reason"] in text_of(answer)


def test_a_form_that_comes_back_stands_on_the_present_version_under_a_new_token(
    operator, operation
) -> None:
    shown = operator.open(operation)
    Operation.objects.filter(pk=operation.pk).update(version=5)
    again = operator.send(shown, "cancellation", **CANCEL)
    before, after = the_form(shown, "cancellation"), the_form(again, "cancellation")
    assert (before.values["version"], after.values["version"]) == ("1", "5")
    assert before.values["decision_id"] != after.values["decision_id"]
    assert operator.send(again, "cancellation").status_code == 303


def test_pressing_twice_is_one_decision(operator, operation) -> None:
    shown = operator.open(operation)
    for _ in range(3):
        answer = operator.send(shown, "cancellation", **CANCEL)
        assert answer.status_code == 303
    assert operation.audit_entries.filter(event="cancel").count() == 1


def test_a_note_pressed_twice_is_one_note(operator, operation) -> None:
    shown = operator.open(operation)
    operator.send(shown, "note", text="call back at two")
    operator.send(shown, "note", text="call back at two")
    assert [note.text for note in Note.objects.all()] == ["call back at two"]


def test_a_second_copy_that_can_no_longer_be_read_is_told_as_done(operator) -> None:
    operation = an_unknown_outcome()
    shown = operator.open(operation)
    typed = {"generation": "1", "reason": "the host is gone"}
    second = Browser.of("approver")
    second.send(second.open(operation), "closure", **typed)
    operator.send(shown, "closure", **typed)
    answer = operator.send(shown, "closure", **typed)
    assert answer.status_code == 303
    assert "done already" in text_of(operator.open(operation))


def test_a_form_of_somebody_else_is_refused(operator, operation) -> None:
    form = the_form(operator.open(operation), "note")
    operator.send(
        operator.open(operation), "note", text="x", decision_id=form.values["decision_id"]
    )
    other = Browser.of("operator")
    answer = other.send(
        other.open(operation), "note", text="y", decision_id=form.values["decision_id"]
    )
    assert answer.status_code == 422
    assert Note.objects.count() == 1


def test_without_its_csrf_token_nothing_is_decided(operator, operation) -> None:
    form = the_form(operator.open(operation), "cancellation")
    values = form.values | CANCEL | {"csrfmiddlewaretoken": "x" * 64}
    assert operator.client.post(form.action, values).status_code == 403
    assert state_of(operation) == State.READY


def test_read_by_get_a_decision_leads_to_the_page(operator, operation) -> None:
    answer = operator.get(reverse("operations:release", args=[operation.pk]))
    assert (answer.status_code, answer["Location"]) == (302, f"/operations/{operation.pk}/")


def test_an_unknown_operation_is_not_found(operator) -> None:
    url = "/operations/00000000-0000-0000-0000-000000000000/"
    assert operator.get(url).status_code == 404


def test_a_decision_about_an_unknown_operation_is_not_found(operator, operation) -> None:
    form = the_form(operator.open(operation), "cancellation")
    url = form.action.replace(str(operation.pk), "00000000-0000-0000-0000-000000000000")
    assert operator.client.post(url, form.values | CANCEL).status_code == 404


@pytest.mark.parametrize("role", ["viewer", "auditor", "admin"])
def test_who_may_not_decide_gets_no_form_and_the_reason(role, operation) -> None:
    shown = Browser.of(role).open(operation)
    assert [action for action in forms_of(shown) if str(operation.pk) in action] == []
    assert "It takes the role operator." in text_of(shown)


@pytest.mark.parametrize("noun", ["cancellation", "note", "lookup", "release", "closure"])
def test_what_a_viewer_sends_all_the_same_is_refused_and_recorded(noun, operation) -> None:
    viewer = Browser.of("viewer")
    token = the_form(viewer.open(operation), "logout").values["csrfmiddlewaretoken"]
    url = f"/operations/{operation.pk}/{noun}/"
    answer = viewer.client.post(url, {"csrfmiddlewaretoken": token, "reason": "x", "version": "1"})
    assert answer.status_code == 403
    assert has_form(answer, noun) is False
    entry = AuditEntry.objects.get(event="refused_act", actor_id=str(viewer.user.pk))
    assert entry.detail["code"] == "not_permitted"


def test_an_expired_sign_in_sends_a_form_to_the_sign_in(client, operation) -> None:
    url = reverse("operations:cancellation", args=[operation.pk])
    plain = client.post(url)
    assert plain["Location"].startswith("/accounts/login/")
    part = client.post(
        url, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/operations/?q=a"}
    )
    assert part["HX-Redirect"] == "/accounts/login/?next=/operations/%3Fq%3Da"


def test_a_disabled_person_is_signed_out() -> None:
    user = a_person("", "operator")
    browser = Browser(user)
    user.is_active = False
    user.save()
    assert browser.get("/operations/").status_code == 302
