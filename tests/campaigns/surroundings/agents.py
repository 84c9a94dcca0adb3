"""Agents at work, in threads: they place operations, send them to the real sandbox and report.

A person reads pages beside them.
"""

import logging
import random
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from opsconsole.client import ApiProblem, NotSendable, OpsConsole, ReportPending
from tests.campaigns.harness.ledger import Place
from tests.campaigns.surroundings.bare import place_bare
from tests.campaigns.surroundings.reader import Reader
from tests.campaigns.surroundings.site import Site
from tests.campaigns.surroundings.witness import Witness

ENVIRONMENT = "production"
LEASE_SECONDS = 6
# What the receiver does to some orders: outcomes that nobody knows, and hooks under fire.
RECEIVER_FAULTS = ("lose_reply", "error_after_commit", "webhook_twice")
FAULTY_SHARE = 0.15
# Each kind of agent, and how many of it.
CREW = ("client", "client", "client", "bare", "bare", "console")
# What a broken surrounding does to an agent; everything else is a fault of the product.
EXPECTED = (ApiProblem, NotSendable, ReportPending, httpx.HTTPError)


class Agents:
    """Start them with `with`; they stop placing new operations when the block ends."""

    def __init__(
        self, site: Site, witness: Witness, *, seed: int, prefix: str, pause_seconds: float = 0.05
    ) -> None:
        self.site, self.witness, self.prefix = site, witness, prefix
        self.said_before = len(site.said)
        self.endings: Counter[str] = Counter()
        self.faults: list[str] = []
        self.pending: list[dict[str, Any]] = []
        self._seed, self._pause_seconds = seed, pause_seconds
        logging.getLogger("httpx").setLevel(logging.WARNING)  # else a line for each request
        self._is_over = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> "Agents":
        self.reader = Reader(self.site)
        self.reader.start()
        for number, kind in enumerate(CREW):
            thread = threading.Thread(target=self._work, args=(number, kind), daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(self, *raised: object) -> None:
        self._is_over.set()
        self.reader.end()
        self.faults += self.reader.faults
        for thread in self._threads:
            thread.join(timeout=90)
            if thread.is_alive():
                self.faults.append("an agent hangs for 90 s after the last fault")

    def come_back(self, unfinished: list[str]) -> None:
        """The same agents after the fault: pending reports are told, unfinished keys resumed."""
        with self._console("client") as console, self._console("bare") as bare:
            for report in self.pending:
                self._noting("deliver", lambda r=report: console.deliver(r))
            with ThreadPoolExecutor(4) as pool:
                list(
                    pool.map(
                        lambda key: self._resume(bare if "-bare-" in key else console, key),
                        unfinished,
                    )
                )

    def _work(self, number: int, kind: str) -> None:
        chance = random.Random(f"{self._seed}/{number}")
        with self._console(kind) as console:
            for count in range(1_000_000):
                if self._is_over.wait(chance.uniform(0, 2 * self._pause_seconds)):
                    return
                key = f"{self.prefix}-{kind}-{number}-{count}"
                if chance.random() < FAULTY_SHARE:
                    self.site.sandbox.fault(key, chance.choice(RECEIVER_FAULTS))
                self._noting(kind, lambda key=key: self._place(console, kind, key))

    def _place(self, console: OpsConsole, kind: str, key: str) -> None:
        if kind == "client":
            self._effect(console, key, wait_seconds=0).send(self._post(key))
        else:
            place_bare(self, order(key), is_console=kind == "console")

    def _resume(self, console: OpsConsole, key: str) -> None:
        self._noting(
            "resumed",
            lambda: self._effect(console, key, wait_seconds=12).send(self._post(key)),
        )

    def _effect(self, console: OpsConsole, key: str, *, wait_seconds: float) -> Any:
        return console.effect(
            **order(key),
            lease_seconds=LEASE_SECONDS,
            wait_seconds=wait_seconds,
            report_seconds=15,
        )

    def _post(self, key: str) -> Callable[[str, Any, float], Any]:
        def post(idempotency_key: str, payload: Any, timeout_seconds: float) -> Any:
            return self.send(key, idempotency_key, payload, timeout_seconds)

        return post

    def send(self, key: str, idempotency_key: str, payload: Any, timeout_seconds: float) -> Any:
        """The call itself; raises httpx.HTTPError for anything but a receipt."""
        answer = self.site.sandbox.post_order(
            key, payload, key=idempotency_key, timeout=timeout_seconds
        )
        return answer.raise_for_status().json()

    @property
    def is_over(self) -> bool:
        """Whether no new operation is to be placed."""
        return self._is_over.is_set()

    def _noting(self, kind: str, act: Callable[[], Any]) -> None:
        """Count how it ended; what no broken surrounding explains is a fault."""
        try:
            act()
            ending = "done"
        except EXPECTED as error:
            ending = getattr(error, "code", "") or type(error).__name__
            if isinstance(error, ReportPending):
                self.pending.append(error.report)
        except Exception:
            ending = "fault"
            self.faults.append(f"{kind}: {traceback.format_exc(limit=-3)}")
        with self._lock:
            self.endings[f"{kind}: {ending}"] += 1

    def _console(self, kind: str) -> OpsConsole:
        agent = "agent-2" if kind == "bare" else "agent-1"
        return OpsConsole(
            self.site.url,
            self.site.tokens[agent],
            repeat_seconds=20,
            timeout_seconds=15,
            http=self.witness.client(),
        )


def order(key: str) -> dict[str, Any]:
    """The registration of six vanilla."""
    return {
        "key": key,
        "kind": "supplier.order",
        "receiver": "sandbox",
        "environment": ENVIRONMENT,
        "payload": {"sku": "vanilla", "quantity": 6},
    }


def place_of(key: str) -> Place:
    """Where the ledger and the record have it."""
    return (ENVIRONMENT, key)
