"""The database away or blocked: 503 with Retry-After, and nothing half written."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from operations.models import Operation
from tests.operations.api.caller import a_body, a_caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


@contextmanager
def database_away() -> Iterator[None]:
    """Every new connection of this thread goes where nobody listens."""
    connection.close()
    kept = dict(connection.settings_dict)
    connection.settings_dict.update(HOST="127.0.0.1", PORT="1")
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(kept)


def test_a_database_that_is_away_is_unavailable_for_every_call() -> None:
    agent = a_caller("agent-1")
    operation, token = agent.marked()
    path = f"/operations/{operation['id']}"
    with database_away():
        answers = [
            agent.register(),
            agent.get(path),
            agent.get("/operations"),
            agent.claim(operation),
            agent.post(f"{path}/attempts", {"token": token}),
            agent.report(operation, token),
        ]
    for answer in answers:
        assert answer.is_problem(503, "unavailable"), answer
        assert int(answer.headers["Retry-After"]) >= 1
        assert "do not send" in answer["remedy"]
    assert Operation.objects.count() == 1
    assert agent.read(operation)["state"] == "sent_unknown"


@pytest.mark.parametrize("call", ["cancellation", "attempts", "receipts"])
def test_a_row_that_stays_locked_is_unavailable(
    call: str, connect_as: Callable[[str], psycopg.Connection]
) -> None:
    agent = a_caller("agent-1")
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    holder = connect_as("runtime")
    holder.execute("SELECT 1 FROM operations_operation FOR UPDATE")
    path = f"/operations/{operation['id']}"
    answer = {
        "cancellation": lambda: agent.post(
            f"{path}/cancellation", {"version": operation["version"], "reason": "x"}
        ),
        "attempts": lambda: agent.post(f"{path}/attempts", {"token": token}),
        "receipts": lambda: agent.report(operation, token),
    }[call]()
    holder.rollback()
    assert answer.is_problem(503, "unavailable")
    assert agent.read(operation)["state"] == "ready"


def test_a_registration_in_the_way_of_another_ends_in_one_operation() -> None:
    agent = a_caller("agent-1")
    body = a_body()
    statuses: list[int] = []
    begin = threading.Barrier(8)

    def register() -> None:
        begin.wait()
        try:
            statuses.append(agent.post("/operations", body).status)
        finally:
            connection.close()

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 7 + [201]
    assert Operation.objects.count() == 1
