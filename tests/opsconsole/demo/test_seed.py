"""The seeded history: everything the console can show, told by the real actions."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

import pytest

from operations import clock
from operations.models import (
    Approval,
    Attempt,
    AuditEntry,
    Halt,
    Lookup,
    Note,
    Operation,
    Receipt,
    Review,
)
from operations.protocol.chain import check_chain
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.states import (
    ApprovalStatus,
    ApprovalSubject,
    AttemptOutcome,
    Cause,
    Channel,
    ClaimEnd,
    Executor,
    Grade,
    LookupResult,
    Question,
    Queue,
    State,
)
from operations.queries.facts import facts_of_many
from opsconsole.demo.between import tell_halt, tell_strange_receipts
from opsconsole.demo.plan import tellings
from opsconsole.demo.record import DemoRecord
from opsconsole.demo.seed import ensure_cast, tell, untold

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class History:
    record: DemoRecord
    told_at: datetime


@pytest.fixture(scope="module")
def history(django_db_setup, django_db_blocker, sandbox):
    """Everything told once, in a transaction that the module's end undoes."""
    from django.db import connection, transaction

    from operations.actions.stall_overdue import stall_overdue

    with django_db_blocker.unblock(), transaction.atomic():
        # The steps of an action are durable: they refuse to run inside another transaction.
        connection.atomic_blocks[-1]._from_testcase = True
        record = DemoRecord(sandbox_url=sandbox.url)
        cast = ensure_cast(record)
        tell_halt(cast)
        cast.close()
        tell(record, untold())
        told_at = clock.now()
        tell_strange_receipts()
        stall_overdue(limit=1000)
        yield History(record, told_at)
        transaction.set_rollback(True)


def every(*columns):
    return Counter(Operation.objects.values_list(*columns))


def test_operations_of_every_kind_place_and_age(history):
    assert Operation.objects.count() > 250
    assert len(every("kind")) == 3
    assert set(every("environment", "receiver", "executor")) == {
        ("production", "sandbox", Executor.AGENT),
        ("production", "sandbox", Executor.CONSOLE),
        ("production", "manual", Executor.AGENT),
        ("staging", "sandbox", Executor.AGENT),
        ("staging", "sandbox", Executor.CONSOLE),
        ("staging", "manual", Executor.AGENT),
    }
    created = sorted(Operation.objects.values_list("created_at", flat=True))
    assert (created[-1] - created[0]).days > 20
    assert created[-1] <= clock.now()


def test_every_state_grade_and_cause(history):
    assert {state for (state,) in every("state")} == set(State)
    assert {grade for (grade,) in every("grade")} - {""} == set(Grade)
    assert {cause for (cause,) in every("cause")} - {""} == set(Cause)
    assert Operation.objects.filter(is_reversed=True).exists()


def test_every_question_is_open_and_every_queue_is_filled(history):
    asked = set(Review.objects.filter(closed_at=None).values_list("question", flat=True))
    assert asked == set(Question)
    operations = list(Operation.objects.all())
    facts = facts_of_many(operations)
    found = {queue(QueueFacts.of(facts[each.pk]), history.told_at) for each in operations}
    assert found == set(Queue)


def test_approvals_for_each_list(history):
    found = Counter(Approval.objects.values_list("subject", "status"))
    asked, proposed = ApprovalSubject.OPERATION, ApprovalSubject.PROPOSAL
    for status in ("open", "granted", "rejected", "expired"):
        assert found[asked, status], status
    for subject in (ApprovalSubject.POSSIBLE_DUPLICATE, ApprovalSubject.SUPERSESSION, proposed):
        assert found[subject, ApprovalStatus.OPEN], subject
    one_of_two = Approval.objects.filter(status=ApprovalStatus.OPEN, needed=2, given=1)
    assert one_of_two.exists()
    assert Approval.objects.filter(status=ApprovalStatus.OPEN, asked_count__gte=4).exists()
    assert Approval.objects.filter(status=ApprovalStatus.OPEN, round=2).exists()


def test_released_replaced_and_made_up_for(history):
    assert {each.state for each in Operation.objects.filter(generation=2)} == {
        State.READY,
        State.CONFIRMED,
    }
    assert Operation.objects.filter(supersedes__isnull=False, state=State.CONFIRMED).exists()
    assert Operation.objects.filter(compensates__isnull=False, state=State.CONFIRMED).exists()


def test_evidence_of_every_sort(history):
    channels = set(Receipt.objects.values_list("channel", flat=True))
    assert channels == set(Channel) - {Channel.STATEMENT}
    assert set(Lookup.objects.values_list("result", flat=True)) == set(LookupResult)
    outcomes = set(Attempt.objects.values_list("ends__outcome", flat=True)) - {None}
    assert outcomes == set(AttemptOutcome) - {AttemptOutcome.NOT_SENT}
    assert Attempt.objects.filter(ends=None).exists()  # the process died
    assert Receipt.objects.filter(operation=None).count() == 3
    assert Note.objects.exists()
    assert Halt.objects.get().lifted_at


def test_the_receiver_knows_what_the_record_says_of_it(history, sandbox):
    wanted = Operation.objects.filter(receiver="sandbox", state=State.CONFIRMED)
    attested = wanted.filter(grade=Grade.RECEIPT)
    for operation in attested.order_by("-created_at")[:40]:
        ledger = sandbox.ledger(operation.key, environment=operation.environment)
        told_by_hand = operation.effect_id.startswith("SO-")
        assert told_by_hand or operation.effect_id in ledger["effects"], operation


def test_a_confirmation_that_will_be_looked_up_is_there_to_be_found(history, sandbox):
    due = Operation.objects.filter(state=State.CONFIRMED, next_try_at__isnull=False)
    for operation in due:
        found = sandbox.order(operation.key, environment=operation.environment)
        assert found.json()["effect_id"] == operation.effect_id


def test_tokens_grow_with_time_and_every_chain_holds(history):
    for operation in Operation.objects.all():
        entries = list(AuditEntry.objects.filter(operation=operation).order_by("seq"))
        assert check_chain((e.seq, e.prev_hash, e.hash, e.body) for e in entries) is None
        assert [e.at for e in entries] == sorted(e.at for e in entries), operation
        ended = operation.claims.exclude(ended_at=None)
        assert all(claim.end in set(ClaimEnd) for claim in ended)


def test_a_second_start_adds_nothing(history):
    before = Operation.objects.count(), AuditEntry.objects.count(), Receipt.objects.count()
    ensure_cast(history.record).close()
    tell(history.record, untold())
    tell_strange_receipts()
    assert before == (
        Operation.objects.count(),
        AuditEntry.objects.count(),
        Receipt.objects.count(),
    )


def test_every_start_draws_the_same_history():
    first, second = tellings(), tellings()
    assert [each.request for each in first] == [each.request for each in second]
    assert len({(each.environment, each.request.key) for each in first}) == len(first)
