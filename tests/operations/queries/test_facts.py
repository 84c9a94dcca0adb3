"""Facts about operations as they are read for every judgement."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from operations.models import Operation
from operations.protocol.states import Question
from operations.queries.facts import facts_of, facts_of_many
from tests.build import a_marked_operation, a_receipt, a_refund, move_back, receive
from tests.people import an_unknown_outcome, look_up_nothing

pytestmark = pytest.mark.django_db


def test_one_statement_reads_the_facts_of_however_many_operations(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    operations = [an_unknown_outcome(), a_marked_operation()[0], a_refund()]
    with django_assert_num_queries(1):
        found = facts_of_many(operations)
    assert [len(found[each.pk].lookups) for each in operations] == [1, 0, 0]
    assert [found[each.pk].approval_status for each in operations] == [None, None, "open"]


def test_instants_are_those_of_the_rows_to_the_microsecond() -> None:
    operation, attempt = a_marked_operation()
    (marked,) = facts_of(operation).attempts
    assert (marked.marked_at, marked.send_deadline_at) == (
        attempt.marked_at,
        attempt.send_deadline_at,
    )
    assert marked.marked_at.utcoffset() == timedelta(0)


def test_of_another_operations_evidence_nothing_is_seen() -> None:
    operation, _ = a_marked_operation()
    other, _ = a_marked_operation()
    receive(other, a_receipt(other, payload={"sku": "vanilla", "quantity": 5}))
    assert (facts_of(operation).receipts, facts_of(operation).open_questions) == ((), frozenset())
    assert facts_of(other).open_questions == {Question.RECEIPT_MISMATCH}


def test_lookups_are_the_newest_first_and_no_more_than_are_kept(monkeypatch) -> None:
    operation: Operation = an_unknown_outcome()
    for _ in range(2):
        move_back(operation, 40)
        look_up_nothing(operation)
    newest = list(operation.lookups.order_by("-asked_at").values_list("asked_at", flat=True))
    assert [row.asked_at for row in facts_of(operation).lookups] == newest
    monkeypatch.setattr("operations.queries.facts.LOOKUPS_KEPT", 2)
    assert [row.asked_at for row in facts_of(operation).lookups] == newest[:2]
