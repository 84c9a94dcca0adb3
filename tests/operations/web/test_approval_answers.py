"""A person's answer to a request for approval, on its card."""

import pytest

from operations.models import ApprovalDecision, AuditEntry, Operation
from operations.protocol.states import ApprovalStatus, Cause, Executor, State
from tests.browsing import Browser, forms_of, text_of
from tests.build import a_refund, an_agent, as_actor, move_back
from tests.operations.web.answering import (
    CHECKED,
    LIST,
    address,
    forged,
    keys,
    press,
    the_card,
    token_of,
)
from tests.people import refused_acts, the_entry, the_request

pytestmark = pytest.mark.django_db


def fresh(row):
    row.refresh_from_db()
    return row


@pytest.fixture
def approver() -> Browser:
    return Browser.of("approver")


@pytest.fixture
def refund() -> Operation:
    return a_refund(executor=Executor.CONSOLE)


def test_a_yes_makes_it_ready_and_the_trail_shows_who_when_why_and_the_digest(approver, refund):
    request = the_request(refund)
    answer = press(approver, approver.get(LIST), request, "yes", **CHECKED)
    assert (answer.status_code, answer["Location"]) == (303, LIST)
    assert fresh(refund).state == State.READY
    entry = the_entry(refund, "approve")
    assert (entry.actor_id, entry.words.reason) == (str(approver.user.pk), CHECKED["reason"])
    assert entry.detail["payload_digest"] == refund.payload_digest
    assert entry.detail["request_digest"] == refund.request_digest
    assert "It may be sent once." in text_of(approver.get(LIST))


def test_a_no_is_final_and_nothing_is_sent(approver, refund):
    press(approver, approver.get(LIST), the_request(refund), "no", reason="They kept it.")
    assert (fresh(refund).state, refund.cause) == (State.CANCELLED, Cause.REJECTED)
    answer = approver.get(f"{LIST}?list=decided")
    assert keys(answer) == [refund.key]
    assert "Nothing is sent." in text_of(answer)


def test_htmx_gets_the_card_alone_as_it_is_now(approver, refund):
    request = the_request(refund)
    answer = press(approver, approver.get(LIST), request, "yes", htmx=True, **CHECKED)
    assert answer.status_code == 200
    assert text_of(answer).strip().startswith(f'<article class="card" id="approval-{request.pk}"')
    assert text_of(answer).strip().endswith("</article>")
    assert "Granted" in text_of(answer)
    assert forms_of(answer) == {}


def test_the_card_is_part_of_the_page_word_for_word(approver, refund):
    request = the_request(refund)
    page = text_of(approver.get(LIST))
    refused = press(approver, approver.get(LIST), request, "yes", htmx=True, reason="")
    start = page.index(f'<article class="card" id="approval-{request.pk}"')
    shared = f'<article class="card" id="approval-{request.pk}" data-row>'
    assert page[start:].startswith(shared)
    assert text_of(refused).strip().startswith(shared)


@pytest.mark.parametrize("htmx", [False, True])
def test_without_a_reason_nothing_is_decided(approver, refund, htmx):
    request = the_request(refund)
    answer = press(approver, approver.get(LIST), request, "yes", htmx=htmx, reason=" ")
    assert answer.status_code == 422
    assert "This field is required." in text_of(answer)
    assert ("<html" in text_of(answer)) is not htmx
    assert fresh(refund).state == State.AWAITING_APPROVAL


def test_a_form_whose_button_is_missing_decides_nothing(approver, refund):
    request = the_request(refund)
    values = forms_of(approver.get(LIST))[address(request)].values | CHECKED
    assert "answer" not in values
    assert approver.client.post(address(request), values).status_code == 422
    assert fresh(request).status == ApprovalStatus.OPEN


def test_the_requesters_forged_yes_is_refused_and_recorded():
    responsible = Browser.of("approver")
    refund = a_refund(agent=an_agent(responsible=responsible.user))
    answer = responsible.client.post(address(the_request(refund)), forged(responsible, refund))
    assert answer.status_code == 403
    assert "Nobody decides on their own request" in text_of(answer)
    assert fresh(refund).state == State.AWAITING_APPROVAL
    refused = AuditEntry.objects.filter(event="refused_act").latest("id")
    assert (refused.actor_id, refused.detail["code"]) == (str(responsible.user.pk), "own_request")


@pytest.mark.parametrize("role", ["viewer", "operator", "auditor", "admin"])
def test_a_person_without_the_role_sees_no_form_and_a_forged_one_is_refused(role, refund):
    request, browser = the_request(refund), Browser.of(role)
    answer = browser.get(f"{LIST}?list=waiting")
    assert "It takes the role approver." in text_of(answer)
    assert address(request) not in forms_of(answer)
    values = forged(browser, refund)
    assert browser.client.post(address(request), values).status_code == 403
    assert fresh(refund).state == State.AWAITING_APPROVAL
    assert AuditEntry.objects.filter(event="refused_act", actor_id=str(browser.user.pk)).exists()


def test_an_overdue_request_reads_expired_and_takes_no_answer(approver, refund):
    request, shown = the_request(refund), approver.get(LIST)
    move_back(refund, 3601)
    assert keys(approver.get(LIST)) == []
    card = the_card(approver, refund, "?list=expired")
    assert (card.status, fresh(request).status) == (ApprovalStatus.EXPIRED, ApprovalStatus.OPEN)
    answer = press(approver, shown, request, "yes", **CHECKED)
    assert answer.status_code == 409
    assert "expected an open request" in text_of(answer).lower()
    assert (fresh(refund).state, refund.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert not ApprovalDecision.objects.exists()


def test_two_yeses_take_two_people(approver):
    large = a_refund("1500.00")
    request = the_request(large)
    press(approver, approver.get(LIST), request, "yes", **CHECKED)
    assert fresh(large).state == State.AWAITING_APPROVAL
    card = the_card(approver, large, "?list=waiting")
    assert [(seat.is_taken, seat.name) for seat in card.seats] == [
        (True, approver.user.username),
        (False, ""),
    ]
    assert "You have answered" in card.decide.why_not
    second = Browser.of("approver")
    press(second, second.get(LIST), request, "yes", **CHECKED)
    assert fresh(large).state == State.READY


def test_the_second_of_two_answers_to_one_request_is_told_whose_came_first(approver, refund):
    request, late = the_request(refund), Browser.of("approver")
    shown = late.get(LIST)
    press(approver, approver.get(LIST), request, "no", reason="No.")
    answer = press(late, shown, request, "yes", htmx=True, **CHECKED)
    assert answer.status_code == 409
    assert f"rejected (by {approver.user.username}" in text_of(answer)
    assert ApprovalDecision.objects.count() == 1


def test_a_stale_version_is_refused_with_what_was_typed(approver, refund):
    shown = approver.get(LIST)
    Operation.objects.filter(pk=refund.pk).update(version=7)
    answer = press(approver, shown, the_request(refund), "yes", htmx=True, **CHECKED)
    assert answer.status_code == 409
    assert "expected version 7, got 1" in text_of(answer)
    assert CHECKED["reason"] in text_of(answer)
    again = press(approver, answer, the_request(refund), "yes", htmx=True)
    assert (again.status_code, fresh(refund).state) == (200, State.READY)


def test_another_digest_than_the_one_asked_about_decides_nothing(approver, refund):
    shown = approver.get(LIST)
    answer = press(approver, shown, the_request(refund), "yes", digest_seen="0" * 64, **CHECKED)
    assert answer.status_code == 409
    assert "digest_differs" in text_of(answer)
    assert fresh(refund).state == State.AWAITING_APPROVAL


def test_pressing_twice_is_one_answer(approver, refund):
    request, shown = the_request(refund), approver.get(LIST)
    for _ in range(3):
        assert press(approver, shown, request, "yes", **CHECKED).status_code == 303
    assert ApprovalDecision.objects.count() == 1
    assert AuditEntry.objects.filter(operation=refund, event="approve").count() == 1


def test_an_unknown_request_is_not_found(approver):
    assert approver.get("/approvals/999999/answer/").status_code == 302
    values = {"csrfmiddlewaretoken": token_of(approver)}
    assert approver.client.post("/approvals/999999/answer/", values).status_code == 404


def test_without_its_csrf_token_nothing_is_decided(approver, refund):
    values = {"answer": "yes", "reason": "x"}
    assert approver.client.post(address(the_request(refund)), values).status_code == 403
    assert not ApprovalDecision.objects.exists()


def test_what_was_refused_is_on_the_access_trail(refund):
    viewer = Browser.of("viewer")
    viewer.client.post(address(the_request(refund)), forged(viewer, refund, "no"))
    assert refused_acts(as_actor(viewer.user)) == ["not_permitted"]
