"""The approvals page: what waits for whom, and what became of the rest."""

import pytest

from operations.actions.register_operation import register_operation
from operations.actions.release_operation import release_operation
from operations.models import Operation
from operations.protocol.states import Executor
from tests.browsing import Browser, forms_of, text_of
from tests.build import a_refund, a_registration, agent_actor, an_agent, an_operation
from tests.operations.web.answering import CHECKED, LIST, address, keys, press, the_card
from tests.people import an_operator, an_unknown_outcome, the_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def approver() -> Browser:
    return Browser.of("approver")


@pytest.fixture
def refund() -> Operation:
    return a_refund(executor=Executor.CONSOLE)


def test_the_requester_sees_why_not_and_gets_no_form():
    responsible = Browser.of("approver")
    refund = a_refund(agent=an_agent(responsible=responsible.user))
    answer = responsible.get(f"{LIST}?list=waiting")
    assert keys(answer) == [refund.key]
    assert "nobody decides on their own request" in text_of(answer)
    assert address(the_request(refund)) not in forms_of(answer)


def test_asking_again_shows_as_one_request_asked_more_often(approver):
    agent = an_agent()
    refund = a_refund(agent=agent)
    again = a_registration(key=refund.key, kind=refund.kind, payload=refund.payload_text)
    for _ in range(3):
        register_operation(actor=agent_actor(agent), registration=again)
    answer = approver.get(LIST)
    assert len(answer.context["cards"]) == 1
    assert "asked 4 times, one request" in text_of(answer)


def test_a_payload_is_text_and_bounded(approver):
    reason = "<script>alert(1)</script>" + "x" * 450
    payload = f'{{"order":"A-1","amount":"150.00","currency":"EUR","reason":"{reason}"}}'
    refund = an_operation(kind="payment.refund", payload=payload)
    text = text_of(approver.get(LIST))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert "more characters" in text
    assert refund.payload_digest in text


def test_a_proposal_leads_to_its_evidence(approver):
    operation = an_unknown_outcome()
    release_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
    )
    card = the_card(approver, operation)
    assert card.answer_url == f"/operations/{operation.pk}/#operation"
    assert card.decide.form is None


@pytest.mark.parametrize("query", ["?list=lost", "?after=soon"])
def test_what_no_link_names_is_a_bad_request(approver, query):
    assert approver.get(f"{LIST}{query}").status_code == 400


def test_anonymous_people_are_sent_to_the_sign_in(client, refund):
    assert client.get(LIST)["Location"] == "/accounts/login/?next=/approvals/"
    assert client.post(address(the_request(refund)), CHECKED).status_code == 302


def test_a_person_without_a_role_sees_nothing(refund):
    assert Browser.of().get(LIST).status_code == 403


def test_pages_neither_skip_nor_repeat(approver, monkeypatch):
    monkeypatch.setattr("operations.web.approvals.PAGE_SIZE", 2)
    agent = an_agent()
    wanted = [a_refund(agent=agent).key for _ in range(5)]
    seen, url = [], LIST
    while url:
        answer = approver.get(url)
        seen += keys(answer)
        url = answer.context["page"].next_url
    assert seen == wanted


@pytest.mark.parametrize("wanted", ["needs_me", "waiting", "decided", "expired"])
def test_each_list_takes_few_queries_whatever_the_data(wanted, django_assert_max_num_queries):
    agent = an_agent()
    decided = [a_refund(agent=agent) for _ in range(3)]
    for _ in range(4):
        a_refund("2000.00", agent=agent)
    for operation in decided:
        one = Browser.of("approver")
        press(one, one.get(LIST), the_request(operation), "yes", **CHECKED)
    browser = Browser.of("approver", "operator")
    with django_assert_max_num_queries(10):
        browser.get(f"{LIST}?list={wanted}")


def test_the_person_of_a_request_that_is_open_counts_it_in_the_top_bar(approver, refund):
    nav = {item.name: item for item in approver.get(LIST).context["shell"]().nav}
    assert (nav["Approvals"].count, nav["Approvals"].is_current) == (1, True)
