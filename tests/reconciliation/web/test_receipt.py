"""The page of one receipt: what it says, field by field, and what to do about it."""

import pytest

from operations import clock
from operations.actions.keep_receipt import keep_unmatched_receipt
from operations.protocol.payloads import dumps, parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from operations.web.detail.documents import PREVIEW_BYTES
from tests.browsing import Browser, text_of
from tests.build import VANILLA, a_marked_operation, a_receipt, an_operation, receive
from tests.people import a_mismatch

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def an_orphan(key="order-404", *, raw=b"", **given):
    """A receipt under a key that nobody registered."""
    value = {
        "operation_id": key,
        "payload": parse_json(VANILLA),
        "status": "confirmed",
        "effect_id": "eff-404",
        **given,
    }
    return keep_unmatched_receipt(
        parse_receipt(value),
        environment="production",
        receiver="sandbox",
        channel=Channel.WEBHOOK,
        raw=raw or dumps(value).encode(),
        at=clock.now(),
    )


def shown(browser, receipt):
    answer = browser.get(f"/receipts/{receipt.pk}/")
    assert answer.status_code == 200
    return answer


def test_a_mismatch_is_compared_with_its_operation_field_by_field(viewer):
    operation, _ = a_mismatch()
    answer = shown(viewer, operation.receipts.get())
    assert next((r.pointer, r.expected, r.got) for r in answer.context["card"].rows) == (
        "/quantity",
        "6",
        "5",
    )
    text = text_of(answer)
    assert f'href="/operations/{operation.pk}/#decision"' in text
    assert "confirm it as attested" in text
    assert "not executed” stay closed" in text


def test_it_says_what_it_says_and_how_it_came(viewer):
    operation, _ = a_marked_operation()
    value = a_receipt(operation, effect_id="eff-7", occurred_at="2026-03-01T10:04:11+01:00")
    receive(operation, value, channel=Channel.WEBHOOK)
    receipt = operation.receipts.get()
    text = text_of(shown(viewer, receipt))
    for words in ("eff-7", "by the receiver’s clock", "webhook", receipt.payload_digest):
        assert words in text
    assert "nothing is left to do" in text


def test_another_effect_than_the_one_on_record_is_told_with_both(viewer):
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, effect_id="eff-1"))
    receive(operation, a_receipt(operation, effect_id="eff-2"), channel=Channel.WEBHOOK)
    second = operation.receipts.get(effect_id="eff-2")
    assert "eff-1 confirmed the operation before" in text_of(shown(viewer, second))
    first = operation.receipts.get(effect_id="eff-1")
    assert "confirmed the operation before" not in text_of(shown(viewer, first))


def test_an_orphan_shows_the_operations_that_may_be_meant_and_whom_to_ask(viewer):
    twin = an_operation(key="order-405")
    answer = shown(viewer, an_orphan())
    [near] = answer.context["near"]
    assert (near.operation, near.why) == (
        twin,
        "the same payload; one character of the key differs",
    )
    text = text_of(answer)
    assert f'href="/operations/{twin.pk}/"' in text
    assert "Ask Sandbox team, #sandbox who ordered it" in text


def test_an_orphan_without_a_neighbour_says_so_and_where_was_looked(viewer):
    text = text_of(shown(viewer, an_orphan()))
    assert "has a key, a payload or an effect id near this one" in text
    assert "the payload among the newest 500 of each state" in text


def test_raw_bytes_are_bounded_and_escaped_and_the_download_is_exact(viewer):
    raw = b"<script>alert(1)</script>\x00" + b"x" * PREVIEW_BYTES
    receipt = an_orphan(raw=raw)
    text = text_of(shown(viewer, receipt))
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;" in text
    assert len(text) < 3 * PREVIEW_BYTES
    answer = viewer.get(f"/receipts/{receipt.pk}/raw/")
    assert answer.content == raw
    assert "attachment" in answer["Content-Disposition"]


def test_what_the_receiver_wrote_is_shown_as_text(viewer):
    receipt = an_orphan("<b>order</b>", payload={"note": "<img src=x>"})
    text = text_of(shown(viewer, receipt))
    assert "<b>order" not in text
    assert "<img" not in text


@pytest.mark.parametrize("tail", ["", "raw/"])
def test_what_is_not_there_is_not_found_and_it_takes_a_role(viewer, client, tail):
    assert viewer.get(f"/receipts/123456789/{tail}").status_code == 404
    assert viewer.get(f"/receipts/{'9' * 40}/{tail}").status_code == 404
    there = f"/receipts/{an_orphan().pk}/{tail}"
    assert Browser.of().get(there).status_code == 403
    assert client.get(there).status_code == 302


def test_the_page_takes_few_queries_whatever_the_data(viewer, django_assert_max_num_queries):
    for number in range(40):
        an_operation(key=f"order-{number}")
    receipt = an_orphan("order-20a")
    with django_assert_max_num_queries(13):
        answer = shown(viewer, receipt)
    assert len(answer.context["near"]) == 10


def test_a_refusal_that_settled_its_operation_says_so(viewer):
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, status="refused", effect_id=None))
    text = text_of(shown(viewer, operation.receipts.get()))
    assert "The receiver says no, and the operation is refused." in text


def test_a_receipt_that_confirmed_is_not_called_done_while_a_question_is_open(viewer):
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, effect_id="eff-1"))
    receive(operation, a_receipt(operation, effect_id="eff-2"))
    text = text_of(shown(viewer, operation.receipts.order_by("pk").first()))
    assert "a question about the operation is open" in text
    assert "nothing is left to do" not in text


@pytest.mark.parametrize(
    ("receiver", "words"),
    [("sandbox", "kept beside it, tied to none"), ("manual", "at another receiver, manual")],
)
def test_a_receipt_of_no_operation_whose_key_has_one_does_not_say_that_none_has(
    viewer, receiver, words
):
    orphan = an_orphan("order-1x")
    operation = an_operation(key="order-77", receiver=receiver)
    beside = an_orphan(operation.key)
    text = text_of(shown(viewer, beside))
    assert words in text
    assert "has this key. The receipt is kept" not in text
    assert "has this key. The receipt is kept" in text_of(shown(viewer, orphan))
