"""A relay to PostgreSQL that loses one commit, or the answer to one, at the moment it is told."""

import select
import time
from contextlib import suppress
from enum import StrEnum
from typing import Any

from tests.campaigns.harness.proxy import CHUNK_BYTES, Proxy, Target

# How long an answer stays away until the connection is given up, as keep-alives do in the end.
GIVEN_UP_AFTER_SECONDS = 0.05
LOOK_SECONDS = 0.01


class Loss(StrEnum):
    """What becomes of one commit."""

    CLOSED = "committed, the connection closed without an answer"
    RESET = "committed, the connection reset without an answer"
    SILENT = "committed, no answer until the connection was given up"
    ON_THE_WAY = "not committed, lost on its way"


class LossyProxy(Proxy):
    """Relays until `lose(loss)`: the next request then meets that loss, once."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._next: Loss | None = None
        self._answer: Loss | None = None
        self.lost = 0

    def lose(self, loss: Loss) -> None:
        """The next request, or the answer to it, does not arrive."""
        self._next = loss

    def _pump_requests(self, link: Any) -> None:
        with suppress(OSError, ValueError):
            while chunk := self._request(link):
                loss, self._next = self._next, None
                if loss is Loss.ON_THE_WAY:
                    self.lost += 1
                    break
                self._answer = loss
                link.server.sendall(chunk)
        link.close()

    def _request(self, link: Any) -> bytes:
        # A thread that waits in recv() holds the socket, and a reset would wait for it.
        while not select.select([link.client], [], [], LOOK_SECONDS)[0]:
            pass
        chunk: bytes = link.client.recv(CHUNK_BYTES)
        return chunk

    def _pump_answers(self, link: Any) -> None:
        with suppress(OSError, ValueError):
            while chunk := link.server.recv(CHUNK_BYTES):
                loss, self._answer = self._answer, None
                if loss is not None:
                    self.lost += 1
                    if loss is Loss.SILENT:
                        time.sleep(GIVEN_UP_AFTER_SECONDS)
                    link.close(with_reset=loss is Loss.RESET)
                    return
                link.client.sendall(chunk)
        link.close()
