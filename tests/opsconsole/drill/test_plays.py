"""What a drill shows when a part it rests on fails: a fault in words, never the end of the run."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from operations.registry import DRILL, DRILL_AGENT
from opsconsole.drill.failing import Failed
from opsconsole.drill.messages import see_all_taken
from opsconsole.drill.plays import play
from opsconsole.drill.scene import Ground, Scene
from reconciliation.protocol.drills import BY_NAME
from tests.operations.api.caller import a_caller
from tests.receiver import sandbox_process_fixture

__all__ = ["sandbox_process_fixture"]

pytestmark = pytest.mark.django_db(transaction=True)


class Answers(BaseHTTPRequestHandler):
    """Says the server's `words`, whatever it is asked."""

    def do_GET(self) -> None:
        """Every address has the same answer."""
        words = self.server.words.encode()  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def odd_receiver() -> Iterator[HTTPServer]:
    """A receiver whose ledger holds no counts."""
    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def a_scene(console_url, sandbox_url, *, limit_seconds=1):
    ground = Ground(
        url=console_url,
        token=a_caller(DRILL_AGENT, environments=(DRILL,)).secret,
        sandbox_url=sandbox_url,
        receiver="sandbox",
        limit_seconds=limit_seconds,
    )
    scene = Scene(
        drill=BY_NAME["replayed_message"], ground=ground, key="drill-1", quantity=1, sku="vanilla"
    )
    scene.begin()
    return scene


def test_messages_that_nobody_takes_fail_the_drill_when_its_time_is_up(
    live_server, sandbox_process
):
    scene = a_scene(live_server.url, sandbox_process.url, limit_seconds=2)
    with pytest.raises(Failed, match="Expected workers that take every message in time, got ready"):
        see_all_taken(scene)
    scene.close()


@pytest.mark.parametrize(
    "words", ["", "<html>", "[]", '{"requests": 1}', '{"requests": null, "effects": []}']
)
def test_a_ledger_that_holds_no_counts_is_a_fault_of_the_drill(live_server, odd_receiver, words):
    odd_receiver.words = words
    scene = a_scene(live_server.url, f"http://127.0.0.1:{odd_receiver.server_port}")
    played = play(scene)
    assert (played.requests, played.effects) == (None, None)
    assert "unknown requests, unknown effects" in played.fault
    assert f"The receiver's ledger: expected requests and effects, got {words!r}." in played.fault


def test_a_ledger_that_is_away_is_a_fault_of_the_drill(live_server):
    played = play(a_scene(live_server.url, "http://127.0.0.1:9"))
    assert (played.requests, played.effects) == (None, None)
    assert "The receiver's ledger can't be read: " in played.fault
