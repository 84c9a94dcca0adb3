"""The machinery of the crash campaigns: it counts, kills and loses what it says, and no other."""

from collections import Counter
from functools import partial

import pytest
from django.db import OperationalError, connection, transaction

from operations import clock
from operations.models import Halt
from opsconsole.embedded.record import DATABASE, ServersRecord
from tests.campaigns.crash_points.killing import first_durable
from tests.campaigns.crash_points.listing import FROZEN, HEAD, differences, points_of, written
from tests.campaigns.crash_points.losing import commits_of
from tests.campaigns.crash_points.lossy import Loss, LossyProxy
from tests.campaigns.harness.boundaries import (
    AFTER,
    BEFORE,
    COMMIT,
    Boundary,
    Noted,
    fingerprint,
    killing,
    watched,
)
from tests.campaigns.harness.children import Child, ChildEnd
from tests.campaigns.harness.flows import FLOWS, Role, of_role
from tests.campaigns.harness.proxy import of_database

COUNT = "SELECT count(*) FROM operations_halt"


def note(reason: str = "x") -> str:
    """Two statements in one transaction."""
    with transaction.atomic():
        at = clock.now()
        Halt.objects.create(reason=reason, at=at)
    return "done"


def died_at(number: int) -> ChildEnd:
    """A process that is killed at this boundary of `note`."""

    def act() -> str:
        connection.ensure_connection()
        with watched(killing(number)):
            return note()

    return Child(act).end()


@pytest.mark.django_db(transaction=True)
def test_statements_and_the_commit_are_counted_before_and_after() -> None:
    noted = Noted()
    with watched(noted):
        note()
    told = [(b.number, b.moment, b.what.split(" ")[0]) for b in noted.boundaries]
    assert told == [
        (1, BEFORE, "SELECT"),
        (2, AFTER, "SELECT"),
        (3, BEFORE, "INSERT"),
        (4, AFTER, "INSERT"),
        (5, BEFORE, COMMIT),
        (6, AFTER, COMMIT),
    ]
    assert [b.number for b in noted.boundaries if b.is_durable_after] == [5, 6]
    assert [b.number for b in noted.boundaries if b.wrote] == [5, 6]


@pytest.mark.django_db(transaction=True)
def test_a_commit_of_what_was_only_read_lets_the_same_subject_die_again() -> None:
    noted = Noted()
    with watched(noted):
        with transaction.atomic():
            Halt.objects.count()
        note()
    commits = [b.number for b in noted.boundaries if b.is_commit and b.moment == AFTER]
    assert first_durable(noted.boundaries) == commits[1]


@pytest.mark.django_db(transaction=True)
def test_a_rollback_and_a_savepoint_are_boundaries_too() -> None:
    noted = Noted()
    with watched(noted), transaction.atomic():
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            raise ZeroDivisionError
        transaction.set_rollback(True)
    kinds = [b.what.split(" ")[0] for b in noted.boundaries if b.moment == BEFORE]
    assert kinds == ["SAVEPOINT", "ROLLBACK", "RELEASE", "ROLLBACK"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("number", "left"), [(1, 0), (4, 0), (5, 0), (6, 1)])
def test_a_process_is_really_killed_there_and_leaves_what_it_committed(number, left) -> None:
    assert died_at(number).was_killed
    assert Halt.objects.count() == left


@pytest.mark.django_db(transaction=True)
def test_a_process_that_does_not_come_so_far_lives() -> None:
    assert (died_at(7).was_killed, Halt.objects.count()) == (False, 1)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ('SELECT "x"."a" FROM "operations_claim" WHERE "x"."id" IN (%s, %s)', "SELECT claim "),
        ("SELECT clock_timestamp()", "SELECT clock_timestamp "),
        ("SELECT a FROM operations_operation WHERE id = %s FOR UPDATE", "SELECT operation locked "),
    ],
)
def test_a_statement_is_told_by_its_verb_and_tables(sql: str, told: str) -> None:
    assert fingerprint(sql).startswith(told)


def test_a_fingerprint_knows_no_values_and_no_names_of_one_run() -> None:
    few, many = ("SELECT 1 FROM t WHERE id IN (%s, %s)", "SELECT 1 FROM t WHERE id IN (%s, %s, %s)")
    assert fingerprint(few) == fingerprint(many)
    assert fingerprint('SAVEPOINT "s1_x1"') == fingerprint('SAVEPOINT "s140_x7"')
    assert fingerprint("UPDATE t SET a = %s") != fingerprint("UPDATE t SET b = %s")


def test_every_role_of_a_process_has_flows_and_each_has_its_own_name() -> None:
    assert all(of_role(role) for role in Role)
    assert [name for name, count in Counter(flow.name for flow in FLOWS).items() if count > 1] == []


def test_the_frozen_list_holds_every_flow() -> None:
    heads = [line.rpartition(": ")[0] for line in FROZEN.read_text().splitlines() if line[:1] > " "]
    frozen = [head for head in heads if head and not head.startswith("#")]
    assert sorted(frozen) == sorted(str(flow) for flow in FLOWS)


def test_a_new_statement_is_told_with_what_to_do() -> None:
    flow = FLOWS[0]
    passed = [Boundary(number=1, moment=BEFORE, what="SELECT new"), _after(2, "SELECT new")]
    told = "\n".join(differences({flow: passed}))
    assert "+    SELECT new" in told or "+  + SELECT new" in told
    assert "--freeze" in told
    assert written({flow: passed}).startswith(HEAD)


def _after(number: int, what: str, *, durable: bool = False) -> Boundary:
    return Boundary(number=number, moment=AFTER, what=what, is_durable_after=durable)


def test_to_die_after_a_statement_is_to_die_before_the_next() -> None:
    passed = [
        Boundary(number=1, moment=BEFORE, what="SELECT a"),
        _after(2, "SELECT a"),
        Boundary(number=3, moment=BEFORE, what=COMMIT, is_durable_after=True),
        _after(4, COMMIT, durable=True),
        Boundary(number=5, moment=BEFORE, what="SELECT b"),
        _after(6, "SELECT b"),
    ]
    (api, *_), (dispatcher, *_) = of_role(Role.API), of_role(Role.DISPATCHER)
    assert points_of(api, passed) == [1, 3, 4, 5, 6]
    assert points_of(dispatcher, passed) == [1, 2, 3, 4, 5, 6]


def test_the_marks_commit_is_told_from_the_others() -> None:
    def commit(number: int) -> Boundary:
        return Boundary(number=number, moment=BEFORE, what=COMMIT, is_durable_after=True)

    mark = Boundary(number=3, moment=BEFORE, what="INSERT attempt 123456")
    found = list(commits_of([commit(1), mark, commit(5), commit(7)]))
    assert [(each.number, each.is_mark) for each in found] == [(1, False), (5, True), (7, False)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("loss", Loss)
def test_a_commit_or_its_answer_is_lost(loss: Loss, postgres_record: object) -> None:
    assert isinstance(postgres_record, ServersRecord)
    url = postgres_record.superuser_url(DATABASE)
    end = Child(partial(_lose, url, loss)).end()
    assert end.value == {"told": "OperationalError", "lost": 1}, end.words
    assert Halt.objects.count() == (0 if loss is Loss.ON_THE_WAY else 1)


def _lose(url: str, loss: Loss) -> dict[str, object]:
    with LossyProxy(of_database(url)) as proxy:
        connection.settings_dict |= {"HOST": "127.0.0.1", "PORT": str(proxy.port)}
        connection.ensure_connection()

        def hook(boundary: Boundary) -> None:
            if boundary.is_commit and boundary.moment == BEFORE:
                proxy.lose(loss)

        told = "committed"
        try:
            with watched(hook):
                note()
        except OperationalError as error:
            told = type(error).__name__
        return {"told": told, "lost": proxy.lost}
