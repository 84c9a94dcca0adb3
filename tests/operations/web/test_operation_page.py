"""The operation page as it is read: evidence, clocks, big payloads, regions, and its cost."""

import json

import pytest
from pytest_django import DjangoAssertNumQueries

from operations.actions.close_attempt import close_attempt
from operations.actions.end_attempt import end_attempt
from operations.actions.mark_attempt import mark_attempt
from operations.models import Operation
from operations.protocol.payloads import parse_json
from operations.protocol.states import AttemptOutcome, Channel
from operations.protocol.words import until_text
from operations.queries.dossier import dossier_of
from operations.web.detail.evidence import lookups_of
from operations.web.operation_detail import CHANGED
from tests.browsing import Browser, text_of
from tests.build import (
    a_claim,
    a_console_operation,
    a_marked_operation,
    a_receipt,
    a_refund,
    agent_actor,
    an_operation,
    move_back,
    receive,
)
from tests.people import (
    a_mismatch,
    an_approver,
    an_operator,
    an_unknown_outcome,
    look_up_nothing,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def page_of(browser: Browser, operation: Operation) -> str:
    return text_of(browser.open(operation))


def test_the_region_is_the_page_without_its_frame(viewer) -> None:
    region = text_of(viewer.part(f"/operations/{an_operation().pk}/"))
    assert "<html" not in region
    assert region.strip().startswith('<div class="stack" id="operation"')


def test_a_receipt_is_compared_field_by_field(viewer) -> None:
    operation, _ = a_mismatch()
    card = viewer.open(operation).context["receipts"][0]
    assert [(row.pointer, row.expected, row.got, row.verdict) for row in card.rows] == [
        ("/quantity", "6", "5", "differs"),
        ("/sku", '"vanilla"', '"vanilla"', "equal"),
    ]
    assert {check.name: check.verdict for check in card.checks} == {
        "Key": "equal",
        "Environment": "equal",
        "Payload": "differs",
        "Status": "equal",
        "Effect id": "equal",
    }


def test_a_receipt_without_a_payload_says_so(viewer) -> None:
    operation, _ = a_marked_operation()
    value = a_receipt(operation)
    del value["payload"]
    receive(operation, value)
    checks = viewer.open(operation).context["receipts"][0].checks
    assert next(check for check in checks if check.name == "Payload").verdict == "missing"


def test_the_crash_window_says_where_the_record_breaks_off(viewer) -> None:
    operation = an_unknown_outcome()
    window = viewer.open(operation).context["window"]
    assert [(s.name, s.known) for s in window.stations] == [
        ("Marked", "yes"),
        ("Request left", "unknown"),
        ("Effect", "unknown"),
        ("Sender’s report", "no"),
        ("Settled", "no"),
    ]
    assert "The record breaks off after the mark" in window.sentence


def test_nothing_sent_has_no_window(viewer) -> None:
    assert viewer.open(an_operation()).context["window"] is None


def test_the_three_answers_of_lookups_are_counted_apart(viewer) -> None:
    operation = an_unknown_outcome()
    look_up_nothing(operation)
    counts = viewer.open(operation).context["lookups"].counts
    assert [(count.result, count.count) for count in counts] == [
        ("found", 0),
        ("not_found", 2),
        ("could_not_ask", 0),
    ]


def test_not_found_before_the_quarantine_is_over_is_no_evidence(viewer) -> None:
    operation = an_operation()
    token = a_claim(operation, lease_seconds=10).token
    mark_attempt(operation_id=operation.pk, actor=agent_actor(operation.agent), token=token)
    move_back(operation, 12)  # sent and gone, but 17 s of delay and lag are still to come
    look_up_nothing(operation)
    assert "No evidence yet: a request could still arrive" in page_of(viewer, operation)


def test_without_keys_a_lookup_before_a_late_end_is_no_evidence_either(viewer, settings) -> None:
    """The row counts the quarantine from where the choice does (decision 0009)."""
    configure(settings, deduplicates=False, dedup_window_seconds=None)
    operation = an_unknown_outcome()
    assert "Nothing under this key, asked after the quarantine." in page_of(viewer, operation)
    for actor in (an_operator(), an_approver()):
        close_attempt(
            operation_id=operation.pk,
            actor=actor,
            version=operation.version,
            generation=1,
            reason="Its host was rebooted at nine.",
        )
    dossier = dossier_of(operation.pk, viewer="")
    release = next(each for each in dossier.choices if each.code == "release")
    opens_at = next(each.opens_at for each in release.blockers if each.code == "quarantine")
    assert opens_at is not None
    [row] = lookups_of(dossier).items
    until = until_text(opens_at, now=dossier.now)
    assert row.meaning == f"No evidence yet: a request could still arrive until {until}."
    assert "No evidence yet: a request could still arrive" in page_of(viewer, operation)


def test_a_late_report_is_listed_with_its_token(viewer) -> None:
    operation, attempt = a_marked_operation()
    move_back(operation, 100)
    a_second = Operation.objects.get(pk=operation.pk)
    look_up_nothing(a_second)  # a higher token was issued
    assert operation.agent is not None
    with pytest.raises(Exception, match="not current"):
        end_attempt(
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            token=attempt.token,
            generation=1,
            outcome=AttemptOutcome.UNKNOWN,
            detail="late",
        )
    assert f"Token {attempt.token} reported “unknown”" in page_of(viewer, operation)


def test_a_big_payload_is_shown_in_part_and_downloads_identically(viewer) -> None:
    body = "ä" * 15_000
    payload = f'{{ "to":"a@example.org",\n"subject":"x", "body":"{body}"}}'
    operation = an_operation(kind="customer.email", payload=payload)
    shown = viewer.open(operation).context["payload"]
    assert (shown.is_cut, len(shown.text.encode()) < 17_000) == (True, True)
    download = viewer.get(f"/operations/{operation.pk}/payload/")
    assert download.content == operation.payload_text.encode()
    assert download["Content-Disposition"].startswith("attachment")
    assert len(page_of(viewer, operation)) < 120_000


def test_numbers_are_shown_as_they_were_written(viewer) -> None:
    operation = an_operation(payload=parse_json('{"sku":"x","quantity":10.0}'))
    assert "10.0" in viewer.open(operation).context["payload"].text


def test_raw_evidence_downloads_as_it_came(viewer) -> None:
    operation, _ = a_marked_operation()
    recorded = receive(operation, a_receipt(operation))
    url = f"/operations/{operation.pk}/receipts/{recorded.receipt.pk}/raw/"
    download = viewer.get(url)
    assert download.content == bytes(recorded.receipt.raw)
    assert download["Content-Type"] == "application/octet-stream"


def test_evidence_of_another_operation_is_not_found_below_this_one(viewer) -> None:
    operation, _ = a_marked_operation()
    recorded = receive(operation, a_receipt(operation))
    url = f"/operations/{an_operation().pk}/receipts/{recorded.receipt.pk}/raw/"
    assert viewer.get(url).status_code == 404


def test_the_stored_request_downloads_byte_for_byte(viewer) -> None:
    operation = a_console_operation()
    assert viewer.get(f"/operations/{operation.pk}/request/").content == bytes(
        operation.request_body
    )
    assert viewer.get(f"/operations/{an_operation().pk}/request/").status_code == 404


def test_what_a_receiver_says_stays_text(viewer) -> None:
    operation, _ = a_marked_operation()
    value = a_receipt(operation, effect_id="<img src=x>", payload={"<b>": "<script>alert(1)"})
    receive(operation, value)
    page = page_of(viewer, operation)
    assert "<img src=x>" not in page
    assert "<script>alert" not in page


def test_the_status_is_silent_while_nothing_changes(viewer) -> None:
    operation = an_operation()
    seen = viewer.open(operation).context["seen"]
    answer = viewer.part(f"/operations/{operation.pk}/status/?seen={seen}")
    assert "HX-Trigger" not in answer
    assert 'hx-trigger="every 5s"' in text_of(answer)
    assert "read again" not in text_of(answer)


def test_the_status_tells_what_came_in_even_without_a_new_version(viewer) -> None:
    operation = an_operation()
    seen = viewer.open(operation).context["seen"]
    a_claim(operation)
    answer = viewer.part(f"/operations/{operation.pk}/status/?seen={seen}")
    assert json.loads(answer["HX-Trigger"]) == {CHANGED: {}}
    assert "Something came in, now version 1" in text_of(answer)


def test_a_page_at_rest_is_not_read_again_by_itself(viewer) -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    move_back(operation, 600)
    assert "every 5s" not in page_of(viewer, operation)


def test_an_overdue_request_reads_cancelled_before_any_sweep(viewer) -> None:
    operation = a_refund()
    move_back(operation, 4000)
    shown = viewer.open(operation)
    assert shown.context["operation"].state == "cancelled"
    assert shown.context["approvals"][0].status == "expired"
    assert "cancelled: expired" in text_of(shown)


def test_the_page_takes_a_bounded_number_of_queries_and_rows(
    viewer, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    operation = an_unknown_outcome()
    for number in range(30):
        receive(operation, a_receipt(operation, effect_id=f"e-{number}"), channel=Channel.WEBHOOK)
    for _ in range(8):
        a_claim(an_operation())
    with django_assert_max_num_queries(33):
        shown = viewer.open(operation)
    assert len(shown.context["receipts"]) == 20
    assert shown.context["counts"].receipts == 30


def test_the_status_takes_few_queries(
    viewer, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    operation = an_unknown_outcome()
    with django_assert_max_num_queries(11):
        viewer.part(f"/operations/{operation.pk}/status/?seen=2")


def test_the_same_answer_time_and_again_is_one_line_of_the_timeline(viewer) -> None:
    operation = an_unknown_outcome()
    for _ in range(3):
        look_up_nothing(operation)
        move_back(operation, 40)
    moments = viewer.open(operation).context["history"]
    assert [m.title for m in moments if m.lane == "receiver"] == [
        "Asked the receiver",
        "Asked the receiver 3 times",
    ]
    assert [m.title for m in moments if m.lane == "worker"][:3] == [
        "Registered",
        "Claimed",
        "Marked as sent, before the call left",
    ]


def test_notes_of_people_are_shown_with_their_name(viewer) -> None:
    operator, operation = Browser.of("operator"), an_operation()
    operator.send(operator.open(operation), "note", text="call back\nat two")
    assert "call back<br>at two" in page_of(viewer, operation)
    assert operator.user.username in page_of(viewer, operation)
