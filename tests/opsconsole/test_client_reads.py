"""Reading through the client, exact numbers, and consoles that can't be asked."""

import socket
from decimal import Decimal
from typing import Any

import pytest

from operations.models import Operation
from opsconsole.client import ApiProblem, OpsConsole
from tests.operations.api.caller import ApiCaller
from tests.opsconsole.client_calls import order

pytestmark = pytest.mark.django_db(transaction=True)


def test_reading_listing_handing_over(console: OpsConsole) -> None:
    made = [console.register(**order(f"c-22-{number}"))["id"] for number in range(3)]
    assert [each["id"] for each in console.list(state="ready", page_size=2)] == made
    assert console.get(made[0])["payload"] == {"sku": "vanilla", "quantity": 6}
    assert console.handoff(made[0])["state"] == "ready"
    with pytest.raises(ApiProblem, match="not_claimable"):
        console.lookup(made[0])


def test_decimals_travel_exactly(console: OpsConsole) -> None:
    context = {"rate": Decimal("0.10"), "big": Decimal("12345678901234567890.5"), "half": 0.5}
    operation = console.register(**order("c-23", context=context))
    assert '"rate":0.10,"big":12345678901234567890.5' in Operation.objects.get().context
    assert console.get(operation["id"])["context"] == {**context, "rate": 0.1}


def test_a_console_that_is_away_is_a_problem(unused_port: int) -> None:
    url = f"http://127.0.0.1:{unused_port}"
    with (
        OpsConsole(url, "oc_x", repeat_seconds=0.2) as console,
        pytest.raises(ApiProblem) as problem,
    ):
        console.register(**order("c-24"))
    assert (problem.value.code, problem.value.status) == ("unreachable", 0)
    assert problem.value.is_transient


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def test_a_token_that_is_not_known_is_a_problem(live_server: Any, caller: ApiCaller) -> None:
    with OpsConsole(live_server.url, "oc_wrong") as console, pytest.raises(ApiProblem) as problem:
        next(console.list())
    assert (problem.value.code, problem.value.status) == ("unauthenticated", 401)
