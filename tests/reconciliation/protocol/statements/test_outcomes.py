"""What one row comes to beside one operation, on both roads; which words are the same words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from operations.protocol.payloads import MISSING, digest, parse_json
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Receipt
from operations.protocol.states import Channel, Grade, ReceiptStatus, State, Verdict
from reconciliation.protocol.statements.outcomes import (
    CHANNEL_OF,
    GRADE_OF,
    ORPHANS,
    SETTLED_ROWS,
    SETTLING,
    Content,
    Outcome,
    Road,
    Standing,
    content_of,
    outcome_of,
    says_nothing_new,
    weigh,
)

PAYLOAD = parse_json('{"sku":"vanilla","quantity":6}')
OTHER = parse_json('{"sku":"vanilla","quantity":5}')
PROFILE = Profile(receiver="sandbox", connector="sandbox")
ROW = Receipt(
    operation_key="K1", payload=PAYLOAD, status=ReceiptStatus.CONFIRMED, effect_id="eff-1"
)
SENT = Standing(
    id=UUID(int=1),
    key="K1",
    environment="production",
    payload=PAYLOAD,
    money=None,
    state=State.SENT_UNKNOWN,
    grade="",
    effect_id="",
    version=3,
    attempt_count=1,
)
CONFIRMED = replace(SENT, state=State.CONFIRMED, grade=str(Grade.RECEIPT), effect_id="eff-1")
REFUSED = replace(ROW, status=ReceiptStatus.REFUSED, effect_id=None)
PENDING = replace(ROW, status=ReceiptStatus.PENDING, effect_id=None)


def comes_to(row: Receipt, standing: Standing, road: Road = Road.MACHINE, *, taken=False) -> str:
    found = weigh(row, standing, profile=PROFILE, road=road, is_effect_taken=taken)
    return str(found.outcome)


@pytest.mark.parametrize(
    ("row", "standing", "machine", "person"),
    [
        (ROW, SENT, "confirms", "confirms"),
        (ROW, replace(SENT, state=State.READY), "confirms", "confirms"),
        (ROW, replace(SENT, state=State.READY, attempt_count=0), "kept", "kept"),
        (replace(ROW, payload=OTHER), SENT, "mismatch", "mismatch"),
        (replace(ROW, environment="staging"), SENT, "mismatch", "mismatch"),
        (replace(ROW, effect_id=None), SENT, "not_proof", "not_proof"),
        (replace(ROW, payload=MISSING), SENT, "not_proof", "not_proof"),
        (PENDING, SENT, "not_proof", "not_proof"),
        (REFUSED, SENT, "refuses", "kept"),
        (REFUSED, replace(SENT, attempt_count=2), "kept", "kept"),
        (REFUSED, replace(SENT, attempt_count=0), "kept", "kept"),
        (ROW, CONFIRMED, "already", "already"),
        (ROW, replace(CONFIRMED, grade=str(Grade.RECEIPT_REPORTED)), "corroborates", "already"),
        (ROW, replace(CONFIRMED, grade=str(Grade.ATTESTED)), "corroborates", "already"),
        (
            replace(ROW, payload=MISSING),
            replace(CONFIRMED, grade=str(Grade.RECEIPT_REPORTED)),
            "corroborates",
            "already",
        ),
        (
            replace(ROW, payload=MISSING),
            replace(CONFIRMED, grade=str(Grade.ATTESTED)),
            "already",
            "already",
        ),
        (ROW, replace(CONFIRMED, effect_id="eff-0"), "late", "late"),
        (replace(ROW, payload=OTHER), CONFIRMED, "mismatch", "mismatch"),
        (ROW, replace(SENT, state=State.REFUSED), "late", "late"),
        (REFUSED, replace(SENT, state=State.REFUSED), "kept", "kept"),
    ],
)
def test_a_row_comes_to_what_its_road_lets_it(row, standing, machine, person):
    assert comes_to(row, standing) == machine
    assert comes_to(row, standing, Road.PERSON) == person


def test_an_effect_that_confirmed_another_operation_is_a_mismatch():
    assert comes_to(ROW, SENT, taken=True) == "mismatch"


def test_a_report_of_another_effect_is_denied_and_asks():
    reported = replace(CONFIRMED, effect_id="eff-0", grade=str(Grade.RECEIPT_REPORTED))
    assert comes_to(ROW, reported) == "late"


def test_where_it_differs_is_told():
    found = weigh(
        replace(ROW, payload=OTHER), SENT, profile=PROFILE, road=Road.MACHINE, is_effect_taken=False
    )
    assert [(each.pointer, each.expected, each.got) for each in found.differences] == [
        ("/quantity", "6", "5")
    ]


@pytest.mark.parametrize(
    ("verdict", "state", "was", "outcome"),
    [
        (Verdict.CONFIRMED, State.CONFIRMED, State.SENT_UNKNOWN, "confirms"),
        (Verdict.ALREADY_CONFIRMED, State.CONFIRMED, State.CONFIRMED, "already"),
        (Verdict.MISMATCH, State.SENT_UNKNOWN, State.SENT_UNKNOWN, "mismatch"),
        (Verdict.LATE, State.REFUSED, State.REFUSED, "late"),
        (Verdict.NOT_PROOF, State.SENT_UNKNOWN, State.SENT_UNKNOWN, "not_proof"),
        (Verdict.KEPT, State.REFUSED, State.SENT_UNKNOWN, "refuses"),
        (Verdict.KEPT, State.REFUSED, State.REFUSED, "kept"),
        (Verdict.KEPT, State.SENT_UNKNOWN, State.SENT_UNKNOWN, "kept"),
    ],
)
def test_what_came_of_a_row_follows_its_verdict(verdict, state, was, outcome):
    assert outcome_of(verdict, state=state, was=was) == outcome


def test_every_verdict_has_an_outcome():
    for verdict in Verdict:
        outcome_of(verdict, state=State.SENT_UNKNOWN, was=State.SENT_UNKNOWN)


def test_the_words_of_a_row_are_all_that_it_says():
    at = datetime(2026, 3, 1, 10, 4, tzinfo=UTC)
    row = replace(ROW, occurred_at=at)
    said = content_of(row)
    assert said == Content("K1", "confirmed", "eff-1", digest(PAYLOAD), at)
    others = [
        replace(row, operation_key="K2"),
        replace(row, status=ReceiptStatus.PENDING),
        replace(row, effect_id="eff-2"),
        replace(row, effect_id=None),
        replace(row, payload=OTHER),
        replace(row, payload=MISSING),
        replace(row, occurred_at=at + timedelta(microseconds=1)),
        replace(row, occurred_at=None),
    ]
    assert len({content_of(each) for each in (row, *others)}) == len(others) + 1
    assert len({content_of(each).fingerprint for each in (row, *others)}) == len(others) + 1


def test_the_same_words_are_the_same_however_they_are_written():
    at = datetime(2026, 3, 1, 10, 4, tzinfo=UTC)
    elsewhere = at.astimezone(timezone(timedelta(hours=1)))
    turned = parse_json('{"quantity":6.0,"sku":"vanilla"}')
    first = content_of(replace(ROW, occurred_at=at))
    second = content_of(replace(ROW, occurred_at=elsewhere, payload=turned))
    assert first == second
    assert hash(first) == hash(second)
    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize(
    ("status", "says_nothing"),
    [("confirmed", False), ("pending", True), ("refused", True)],
)
def test_only_a_yes_that_is_repeated_speaks_of_a_second_effect(status, says_nothing):
    assert says_nothing_new(replace(ROW, status=ReceiptStatus(status))) is says_nothing


def test_each_road_has_its_channel_and_its_grade():
    assert CHANNEL_OF == {Road.MACHINE: Channel.STATEMENT, Road.PERSON: Channel.PERSON}
    assert GRADE_OF == {Road.MACHINE: Grade.RECEIPT, Road.PERSON: Grade.ATTESTED}


def test_outcomes_that_write_nothing_settle_and_orphan_none():
    assert set(SETTLED_ROWS) == {Outcome.ALREADY, Outcome.KNOWN, Outcome.UNREADABLE}
    assert SETTLING == {Outcome.CONFIRMS: State.CONFIRMED, Outcome.REFUSES: State.REFUSED}
    assert set(ORPHANS) == {Outcome.UNMATCHED, Outcome.REPEATED}
