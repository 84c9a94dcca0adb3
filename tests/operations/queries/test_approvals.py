"""The approvals page's lists: each request is in exactly one, for each person."""

import pytest

from operations import clock
from operations.actions.decide_approval import decide_approval
from operations.actions.expire_approvals import expire_approvals
from operations.actions.release_operation import release_operation
from operations.protocol.states import ApprovalStatus
from operations.queries.approvals import ApprovalList, approvals_page
from operations.roles import Role
from tests.build import a_person, a_refund, an_agent, as_actor, move_back
from tests.people import an_operator, an_unknown_outcome, the_request

pytestmark = pytest.mark.django_db


def page(user, wanted, **given):
    return approvals_page(user, wanted, now=clock.now(), **{"limit": 50, **given})


def ids(user, wanted, **given):
    return [card.approval.pk for card in page(user, wanted, **given).cards]


def answer(operation, user, *, is_yes=True):
    request = the_request(operation)
    decide_approval(
        approval_id=request.pk,
        actor=as_actor(user),
        is_yes=is_yes,
        reason="Checked.",
        digest_seen=request.payload_digest,
    )


def a_proposal():
    operation = an_unknown_outcome()
    return release_operation(
        operation_id=operation.pk,
        actor=an_operator("olga"),
        version=operation.version,
        reason="Nothing there.",
    ).proposal


@pytest.fixture
def requests():
    """One of each sort, by what makes it different for an approver called anna."""
    anna = a_person("anna", "approver")
    agent = an_agent()
    own = a_refund(agent=an_agent(responsible=anna))
    answered = a_refund("1000.00", agent=agent)
    answer(answered, anna)
    overdue = a_refund(agent=agent)
    move_back(overdue, 3601)
    granted, rejected = a_refund(agent=agent), a_refund(agent=agent)
    answer(granted, anna)
    answer(rejected, anna, is_yes=False)
    return {
        "anna": anna,
        "mine": the_request(a_refund(agent=agent)),
        "proposal": a_proposal(),
        "own": the_request(own),
        "answered": the_request(answered),
        "overdue": the_request(overdue),
        "granted": granted.approvals.get(),
        "rejected": rejected.approvals.get(),
    }


def names(requests, user, wanted):
    found = set(ids(user, wanted))
    return {name for name, row in requests.items() if name != "anna" and row.pk in found}


def test_each_list_holds_what_it_says(requests):
    anna = requests["anna"]
    told = {wanted: names(requests, anna, wanted) for wanted in ApprovalList}
    assert told == {
        ApprovalList.NEEDS_ME: {"mine", "proposal"},
        ApprovalList.WAITING: {"own", "answered"},
        ApprovalList.DECIDED: {"granted", "rejected"},
        ApprovalList.EXPIRED: {"overdue"},
    }


def test_the_counts_are_those_of_the_lists(requests):
    anna = requests["anna"]
    counts = page(anna, ApprovalList.NEEDS_ME).counts
    assert counts == {wanted: len(ids(anna, wanted)) for wanted in ApprovalList}


@pytest.mark.parametrize("role", ["", *Role])
def test_what_needs_me_is_what_i_may_answer(requests, role):
    """The condition in the database says the same as the sentence on the page."""
    for user in (a_person("", role) if role else a_person(), requests["anna"]):
        for wanted in (ApprovalList.NEEDS_ME, ApprovalList.WAITING):
            may_answer = {card.why_not == "" for card in page(user, wanted).cards}
            assert may_answer <= {wanted is ApprovalList.NEEDS_ME}


def test_a_card_says_who_asked_and_why_i_cannot_answer(requests):
    cards = page(requests["anna"], ApprovalList.WAITING).cards
    told = {card.approval.pk: card.why_not for card in cards}
    assert told[requests["own"].pk].startswith("You are the re")
    assert told[requests["answered"].pk].startswith("You have answered")
    (proposal,) = [c for c in page(requests["anna"], ApprovalList.NEEDS_ME).cards if c.is_proposal]
    assert proposal.asked_by == "olga"


def test_an_overdue_request_reads_expired_before_and_after_the_sweep(requests):
    (before,) = page(requests["anna"], ApprovalList.EXPIRED).cards
    expire_approvals(limit=10)
    (after,) = page(requests["anna"], ApprovalList.EXPIRED).cards
    assert before.status == after.status == ApprovalStatus.EXPIRED
    assert before.approval.pk == after.approval.pk == requests["overdue"].pk


def test_a_card_tells_how_requests_like_it_ended(requests):
    (card,) = [c for c in page(requests["anna"], ApprovalList.NEEDS_ME).cards if not c.is_proposal]
    assert card.like_it == {ApprovalStatus.GRANTED: 1, ApprovalStatus.REJECTED: 1}


def test_a_card_shows_the_beginning_of_a_large_payload_and_its_length():
    a_refund()
    (card,) = page(a_person("", "approver"), ApprovalList.NEEDS_ME).cards
    assert card.payload_start == card.operation.payload_text[:400]
    assert card.payload_length == len(card.operation.payload_text)
    assert card.drift == ""


def test_pages_go_on_oldest_first_without_skipping_or_repeating():
    agent, user = an_agent(), a_person("", "approver")
    expected = [the_request(a_refund(agent=agent)).pk for _ in range(5)]
    first = page(user, ApprovalList.NEEDS_ME, limit=2)
    a_refund(agent=agent)
    second = page(user, ApprovalList.NEEDS_ME, limit=2, after=first.after)
    third = page(user, ApprovalList.NEEDS_ME, limit=2, after=second.after)
    seen = [card.approval.pk for part in (first, second, third) for card in part.cards]
    assert seen[:5] == expected
    assert third.after is None


def test_another_environment_is_another_list():
    user = a_person("", "approver")
    a_refund(environment="staging")
    assert ids(user, ApprovalList.NEEDS_ME, environment="production") == []
    assert len(ids(user, ApprovalList.NEEDS_ME, environment="staging")) == 1


@pytest.mark.parametrize("wanted", ApprovalList)
def test_a_page_takes_four_queries_or_five_however_many_requests(
    requests, wanted, django_assert_max_num_queries
):
    user = requests["anna"]
    for operation in [a_refund() for _ in range(5)]:
        move_back(operation, 3601)
    expire_approvals(limit=2)  # the rest is over, and not written yet
    now = clock.now()
    user._roles = frozenset({Role.APPROVER})  # read once per request, by the page's own gate
    with django_assert_max_num_queries(5 if wanted is ApprovalList.EXPIRED else 4):
        found = approvals_page(user, wanted, now=now, limit=50)
        assert all(card.asked_by and card.operation.title for card in found.cards)
