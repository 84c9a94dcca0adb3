"""The kill-after-commit story through the http receiver, as docs/receivers.md configures it."""

from pathlib import Path

import pytest
from django.db import connection

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.models import Operation
from operations.protocol.states import Grade, LookupResult, Question, State
from reconciliation.actions.reconcile_operation import reconcile_operation
from reconciliation.sandbox.process import SandboxProcess
from tests.build import a_console_operation, a_person, move_back
from tests.http_receivers import SECRETS, Asked, an_api, at, load
from tests.receiver import eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import end, let_a_worker_die, start_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

# Past the lease, and past the documented send deadline, delivery delay and lag.
LATER_SECONDS = 300
NAMES = ("supplier", "supplier-by-pages")
OWN_FILE = Path(__file__).parents[3] / "opsconsole.toml"


def text_at(url: str, *, changed: tuple[str, str] = ("", "")) -> str:
    """The documented receivers at `url`, with the kinds of the project's own file."""
    kinds = OWN_FILE.read_text(encoding="utf-8").split("\n[limits]")[1].split("\n[receivers")[0]
    kinds = kinds[kinds.index("[kinds") :]
    old, new = changed
    text = at(url)
    assert old in text
    return text.replace(old, new) + kinds


@pytest.fixture
def console(sandbox_process, settings, tmp_path, monkeypatch) -> SandboxProcess:
    """The sandbox behind the documented http receivers, for this process and for its children."""
    text = text_at(sandbox_process.url)
    settings.OPSCONSOLE = load(text)
    path = tmp_path / "opsconsole.toml"
    path.write_text(text, encoding="utf-8")
    for name, value in {**SECRETS, "OPSCONSOLE_CONFIG": str(path)}.items():
        monkeypatch.setenv(name, value)
    return sandbox_process


def dispatch(operation: Operation) -> Dispatched:
    outcome = dispatch_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return outcome


def look(operation: Operation) -> State:
    move_back(operation, LATER_SECONDS)
    reconcile_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return State(operation.state)


def kill_after_the_commit(sandbox: SandboxProcess, operation: Operation, settings) -> None:
    """A worker sends it, the receiver acts, and the worker is killed before it hears of that."""
    sandbox.fault(operation.key, "answer_late", seconds=30)
    worker = start_worker(sandbox, "sending", operation, settings)
    try:
        assert eventually(lambda: sandbox.ledger(operation.key)["effects"], within_seconds=30)
    finally:
        end(worker)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


@pytest.mark.parametrize("receiver", NAMES)
def test_killed_after_the_receiver_commits_it_is_found_and_stays_one(console, settings, receiver):
    operation = a_console_operation(receiver=receiver)
    kill_after_the_commit(console, operation, settings)
    assert dispatch(operation) is Dispatched.NOT_DUE

    assert look(operation) == State.CONFIRMED

    assert operation.grade == Grade.RECEIPT
    assert operation.effect_id == console.ledger(operation.key)["effects"][0]
    assert operation.lookups.get().result == LookupResult.FOUND
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert requests_and_effects(console, operation) == (1, 1)


@pytest.mark.parametrize("receiver", NAMES)
def test_killed_before_the_mark_it_is_sent_once_by_the_next(console, settings, receiver):
    operation = a_console_operation(receiver=receiver)
    let_a_worker_die(console, "before_the_mark", operation, settings)
    assert operation.state == State.READY
    move_back(operation, LATER_SECONDS)
    assert dispatch(operation) is Dispatched.CALLED
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(console, operation) == (1, 1)


@pytest.mark.parametrize("receiver", NAMES)
def test_what_never_arrived_is_not_found_and_goes_to_a_person(console, receiver):
    operation = a_console_operation(receiver=receiver)
    console.fault(operation.key, "redirect")
    assert dispatch(operation) is Dispatched.CALLED
    assert look(operation) == State.SENT_UNKNOWN
    assert operation.lookups.get().result == LookupResult.NOT_FOUND
    assert [review.question for review in operation.reviews.all()] == [Question.UNKNOWN_OUTCOME]
    assert requests_and_effects(console, operation) == (1, 0)


def test_without_a_lookup_the_story_ends_at_a_person(console, settings):
    text = text_at(console.url)
    head, rest = text.split("[receivers.supplier.http.lookup]\n")
    rest = rest[rest.index("[receivers.supplier.environments") :]
    settings.OPSCONSOLE = load((head + rest).replace("has_lookup = true\n", "", 1))
    operation = a_console_operation(receiver="supplier")
    console.fault(operation.key, "lose_reply")
    dispatch(operation)
    assert look(operation) == State.SENT_UNKNOWN
    assert [review.question for review in operation.reviews.all()] == [Question.UNKNOWN_OUTCOME]
    assert not operation.lookups.exists()
    assert requests_and_effects(console, operation) == (1, 1)


def test_a_definite_refusal_is_known_by_its_code(console):
    operation = a_console_operation(receiver="supplier")
    console.fault(operation.key, "refuse")
    dispatch(operation)
    assert operation.state == State.REFUSED
    assert requests_and_effects(console, operation) == (1, 0)


def test_two_effects_under_one_key_confirm_once_and_reach_people(console):
    operation = a_console_operation(receiver="supplier-by-pages")
    console.fault(operation.key, "lose_reply")
    dispatch(operation)
    console.fault(operation.key, "ignore_key")
    console.post_order(operation.key, key=operation.idempotency_key)
    first, second = console.ledger(operation.key)["effects"]

    assert look(operation) == State.CONFIRMED

    assert operation.effect_id == first
    assert {receipt.effect_id for receipt in operation.receipts.all()} == {first, second}
    (review,) = operation.reviews.filter(closed_at=None)
    assert review.question == Question.DUPLICATE_EFFECT
    assert second in review.reason


@pytest.fixture
def full_list(console, settings):
    """A sandbox of its own, whose list has 250 orders, the operation's the 201st."""
    with SandboxProcess() as sandbox:
        settings.OPSCONSOLE = load(text_at(sandbox.url))
        operation = a_console_operation(receiver="supplier-by-pages")
        for number in range(200):
            sandbox.post_order(f"other-{number}").raise_for_status()
        sandbox.fault(operation.key, "lose_reply")
        dispatch(operation)
        for number in range(200, 249):
            sandbox.post_order(f"other-{number}").raise_for_status()
        listed = sandbox.call("GET", "/orders?page=3").json()
        assert (listed["total"], listed["orders"][0]["operation_id"]) == (250, operation.key)
        yield sandbox, operation


def test_record_201_of_250_is_found(full_list):
    """Case 56: the list is searched to its end."""
    sandbox, operation = full_list
    assert look(operation) == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_limit_that_stops_the_search_changes_nothing_and_the_page_says_so(
    full_list, settings, client
):
    """Case 56: a search that was cut off is no answer, and says how far it came."""
    sandbox, operation = full_list
    limit = ("search_limit = 5000", "search_limit = 150")
    settings.OPSCONSOLE = load(text_at(sandbox.url, changed=limit))
    version = operation.version

    assert look(operation) == State.SENT_UNKNOWN

    assert operation.version == version
    lookup = operation.lookups.get()
    assert lookup.result == LookupResult.COULD_NOT_ASK
    assert lookup.detail == "the list goes on (200 records searched, the limit is 150)"
    client.force_login(a_person("", "operator"))
    page = client.get(f"/operations/{operation.pk}/").content.decode()
    assert "the list goes on (200 records searched, the limit is 150)" in page
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_no_credential_is_in_any_table(console, settings, capfd):
    with an_api() as api:
        settings.OPSCONSOLE = load(text_at(api.url))

        def answer(asked: Asked):
            if asked.method == "POST":
                return 500, {"code": "broken"}
            return 200, {"reservations": [], "next_cursor": None}

        api.answer = answer
        operation = a_console_operation(receiver="warehouse")
        assert dispatch(operation) is Dispatched.CALLED
        assert look(operation) == State.SENT_UNKNOWN
        assert [asked.headers["authorization"] for asked in api.asked] == [
            "Bearer warehouse-s3cret"
        ] * 2
    everything = b""
    secrets = (b"warehouse-s3cret", b"warehouse-s3cret".hex().encode())
    for table in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT t::text FROM "{table}" AS t')
            rows = " ".join(row[0] for row in cursor.fetchall()).encode()
        assert not any(secret in rows for secret in secrets), table
        everything += rows
    assert operation.key.encode() in everything
    assert b'{"reservations": []'.hex().encode() in everything
    said = "".join(capfd.readouterr())
    assert "s3cret" not in said


def test_the_page_of_receivers_shows_each_of_them_and_no_credential(console, client):
    client.force_login(a_person("", "operator"))
    answer = client.get("/receivers/")
    page = answer.content.decode()
    assert answer.status_code == 200
    for name in ("supplier-by-pages", "warehouse", "tickets", "courier", "mailer"):
        assert name in page
    assert "s3cret" not in page
