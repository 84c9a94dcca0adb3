"""The investigator: effects and attempts side by side, and hypotheses that nobody asserts."""

import pytest

from operations.actions.end_attempt import end_attempt
from operations.actions.mark_attempt import mark_attempt
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.protocol.states import AttemptOutcome, Channel
from reconciliation.models import Certification
from reconciliation.protocol.hypotheses import Cause
from tests.browsing import Browser, text_of
from tests.build import (
    a_claim,
    a_marked_operation,
    a_receipt,
    agent_actor,
    an_operation,
    move_back,
    receive,
)
from tests.people import PAST_QUARANTINE_SECONDS, an_approver, an_operator, look_up_nothing
from tests.reconciliation.web.test_receipt import an_orphan

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def there(operation) -> str:
    return f"/operations/{operation.pk}/effects/"


def shown(browser, operation):
    answer = browser.get(there(operation))
    assert answer.status_code == 200
    return answer


def twice(**given):
    """One attempt of which the receiver tells two effects."""
    operation, _ = a_marked_operation(**given)
    receive(operation, a_receipt(operation, effect_id="eff-a"))
    receive(operation, a_receipt(operation, effect_id="eff-b"), channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    return operation


def released_and_sent_again():
    """Two attempts: the first unknown, looked up in vain and released; the second just marked."""
    operation, attempt = a_marked_operation()
    actor = agent_actor(operation.agent)
    end_attempt(
        operation_id=operation.pk,
        actor=actor,
        generation=1,
        token=attempt.token,
        outcome=AttemptOutcome.UNKNOWN,
        detail="the connection was lost",
        raw=b"",
    )
    move_back(operation, PAST_QUARANTINE_SECONDS)
    look_up_nothing(operation)
    proposed = release_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there, and the desk agrees.",
    )
    assert proposed.proposal is not None
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="I called too."
    )
    operation.refresh_from_db()
    claim = a_claim(operation)
    mark_attempt(operation_id=operation.pk, actor=actor, token=claim.token)
    operation.refresh_from_db()
    return operation


def test_two_effects_of_one_attempt_are_shown_with_what_each_can_belong_to(viewer):
    operation = twice()
    rows = shown(viewer, operation).context["effects"]
    assert [(row.effect.effect_id, row.standing, row.belongs) for row in rows] == [
        ("eff-a", "on record: it confirmed this operation", "attempt 1"),
        ("eff-b", "beside the record, unexplained", "attempt 1"),
    ]


def test_both_attempts_stand_side_by_side(viewer):
    operation = released_and_sent_again()
    for name in ("eff-a", "eff-b"):
        receive(operation, a_receipt(operation, effect_id=name))
    answer = shown(viewer, operation)
    columns = answer.context["columns"]
    assert [item.attempt.generation for item in columns] == [1, 2]
    assert [item.ended for item in columns] == ["unknown", "its sender never said"]
    assert [list(item.fits) for item in columns] == [["eff-a", "eff-b"]] * 2
    assert not any(answer.context["differing"].values())
    text = text_of(answer)
    for attempt in operation.attempts.select_related("claim"):
        for words in (attempt.token, attempt.idempotency_key, attempt.claim.holder):
            assert str(words) in text
    assert f"SHA-256 {operation.payload_digest}" in text
    assert "made by its agent" in text


def test_every_hypothesis_is_listed_with_both_sides_and_none_is_chosen(viewer):
    answer = shown(viewer, released_and_sent_again())
    found = {each.cause: each for each in answer.context["hypotheses"]}
    assert list(found) == list(Cause)
    assert any("found nothing" in fact for fact in found[Cause.LATE_EFFECT].speaks_against)
    text = text_of(answer)
    for each in found.values():
        assert each.sentence in text
        assert all(fact in text for fact in (*each.speaks_for, *each.speaks_against, each.tells))
    main = text[text.index("<main") : text.index("</main>")]
    assert "<form" not in main
    assert "checked" not in main
    assert "selected" not in main


def test_a_certification_speaks_with_its_date_and_place(viewer):
    operation = twice()
    assert "was never certified" in text_of(shown(viewer, operation))
    Certification.objects.create(
        environment="staging",
        receiver="sandbox",
        at=operation.created_at,
        started_by="ann",
        seed="s",
        claims={},
        rows=[
            {
                "probe": "same_key",
                "claimed": "one effect",
                "observed": "2 effects, sent twice",
                "finding": "differs",
            }
        ],
    )
    answer = shown(viewer, operation)
    [ignored] = [h for h in answer.context["hypotheses"] if h.cause is Cause.KEYS_IGNORED]
    assert "observed 2 effects, sent twice." in ignored.speaks_for[0]
    assert "The certification was made in staging" in text_of(answer)


def test_an_effect_that_confirmed_another_operation_leads_there(viewer):
    first, _ = a_marked_operation()
    receive(first, a_receipt(first, effect_id="eff-one"))
    second, _ = a_marked_operation()
    receive(second, a_receipt(second, effect_id="eff-one"))
    answer = shown(viewer, second)
    [row] = answer.context["effects"]
    assert (row.confirmed, row.standing) == (first, "confirmed another operation")
    assert f'href="/operations/{first.pk}/"' in text_of(answer)


def test_what_can_be_done_is_named_with_its_reasons_and_done_elsewhere(viewer):
    operation = twice()
    choices = {
        each.choice.code: each.choice.is_open
        for each in shown(Browser.of("operator"), operation).context["following"]
    }
    assert choices == {"settle_review": True, "compensate": True, "supersede": False}
    assert not any(each.choice.is_open for each in shown(viewer, operation).context["following"]), (
        "who may not decide is offered nothing"
    )
    assert f'href="/operations/{operation.pk}/#decision"' in text_of(shown(viewer, operation))


def test_it_is_linked_from_the_operation_the_pile_and_the_receipt(viewer):
    operation = twice()
    link = f'href="{there(operation)}"'
    assert link in text_of(viewer.open(operation))
    assert link in text_of(viewer.get("/receipts/?pile=duplicate"))
    second = operation.receipts.get(effect_id="eff-b")
    assert link in text_of(viewer.get(f"/receipts/{second.pk}/"))


def test_one_effect_links_to_no_comparison(viewer):
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    receive(operation, a_receipt(operation, effect_id="eff-no", status="refused"))
    assert there(operation) not in text_of(viewer.open(operation))


def test_without_an_attempt_and_an_effect_the_page_says_so(viewer):
    text = text_of(shown(viewer, an_operation()))
    assert "No receipt of this operation names an effect." in text
    assert "it has no attempt on record" in text


def test_it_takes_a_role_and_an_operation(viewer, client):
    operation = an_operation()
    assert Browser.of().get(there(operation)).status_code == 403
    assert client.get(there(operation)).status_code == 302
    nowhere = there(operation).replace(str(operation.pk)[:8], "00000000")
    assert viewer.get(nowhere).status_code == 404


def test_the_page_takes_few_queries_whatever_the_data(viewer, django_assert_max_num_queries):
    operation = released_and_sent_again()
    for number in range(12):
        receive(operation, a_receipt(operation, effect_id=f"eff-{number}"))
    with django_assert_max_num_queries(25):
        answer = shown(viewer, operation)
    assert len(answer.context["effects"]) == 12


@pytest.mark.parametrize(
    ("payload", "word"),
    [
        ({"sku": "vanilla", "quantity": 6}, "this operation’s"),
        ({"sku": "mint", "quantity": 9}, "another one"),
    ],
)
def test_an_effect_that_was_told_before_its_operation_is_compared_with_it(viewer, payload, word):
    """Nothing compared it when it came: there was no operation."""
    an_orphan("order-1", payload=payload)
    operation = an_operation(key="order-1")
    [effect] = shown(viewer, operation).context["effects"]
    assert effect.payload == word
