"""The console served over real HTTP, its receiver in a process of its own, and agents of both."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest
from pytest_django.live_server_helper import LiveServer

from opsconsole.client import OpsConsole
from reconciliation.sandbox.process import SandboxProcess
from tests.operations.api.caller import ApiCaller, a_caller
from tests.receiver import sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]


@dataclass
class Wire(httpx.BaseTransport):
    """A real connection that loses what it is told to.

    `lost_answers`: path endings whose answers are lost after the console acted, as often as
    given. `lost_requests`: the same, before the console saw them. `seen` holds every request.
    """

    lost_answers: dict[str, int] = field(default_factory=dict)
    lost_requests: dict[str, int] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    inner: httpx.HTTPTransport = field(default_factory=httpx.HTTPTransport)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(f"{request.method} {request.url.path}")
        if self._takes(self.lost_requests, request):
            raise httpx.ConnectError("the line is cut", request=request)
        response = self.inner.handle_request(request)
        if self._takes(self.lost_answers, request):
            response.read()
            response.close()
            raise httpx.ReadTimeout("the answer is lost", request=request)
        return response

    def close(self) -> None:
        self.inner.close()

    def count(self, ending: str) -> int:
        """How many requests went to a path with this ending."""
        return sum(line.endswith(ending) for line in self.seen)

    def _takes(self, losses: dict[str, int], request: httpx.Request) -> bool:
        for ending, left in losses.items():
            if request.url.path.endswith(ending) and left:
                losses[ending] -= 1
                return True
        return False


@pytest.fixture
def caller(live_server: LiveServer, transactional_db: None) -> ApiCaller:
    """The agent's own view of the API, to look at what the client did."""
    return a_caller("agent-1")


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def console(
    live_server: LiveServer, caller: ApiCaller, wire: Wire, sandbox: SandboxProcess
) -> Iterator[OpsConsole]:
    with (
        httpx.Client(transport=wire) as http,
        OpsConsole(live_server.url, caller.secret, repeat_seconds=1, http=http) as console,
    ):
        yield console
