"""What agents saw answered, written down outside of everything that can be killed."""

import json
import threading
import time
from collections import Counter
from typing import Any

import httpx

from tests.campaigns.harness.ledger import Place

# How the console may answer while its surroundings are broken.
AWAY = 503


class Witness:
    """Sees each answer of the console, whoever asked; kept in the campaign's own memory.

    `registered`: when each operation's registration was acknowledged (Unix time). `marks` and
    `confirmed`: the attempts and confirmations that were acknowledged.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.places: dict[str, Place] = {}
        self.registered: dict[Place, float] = {}
        self.marks: dict[tuple[str, int], int] = {}
        self.confirmed: set[str] = set()
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []

    def client(self) -> httpx.Client:
        """A client to the console whose answers are all seen here."""
        hooks: dict[str, list[Any]] = {"response": [self.see]}
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        return httpx.Client(event_hooks=hooks, trust_env=False, limits=limits, timeout=15)

    def see(self, response: httpx.Response) -> None:
        """Take note of one answer."""
        response.read()
        with self._lock:
            self.statuses[response.status_code] += 1
            if response.status_code >= 500:
                self._judge(response)
            elif response.is_success and response.request.method == "POST":
                self._take(response)

    def marks_by_place(self) -> Counter[Place]:
        """How many acknowledged marks each operation has."""
        return Counter(self.places[operation_id] for operation_id, _ in self.marks)

    def _judge(self, response: httpx.Response) -> None:
        where = f"{response.request.method} {response.request.url.path}"
        if response.status_code != AWAY:
            self.faults.append(f"{where}: expected 503, got {response.status_code}")
            return
        if not response.headers.get("Retry-After", "").isdigit():
            self.faults.append(f"{where}: 503 without Retry-After")
        if '"unavailable"' not in response.text:
            self.faults.append(f"{where}: 503 without the code unavailable: {response.text[:200]}")

    def _take(self, response: httpx.Response) -> None:
        answer = response.json()
        parts = response.request.url.path.split("/")[4:]  # after /api/v1/operations
        if not parts:
            asked = json.loads(response.request.content)
            place = (asked["environment"], asked["key"])
            self.places[answer["id"]] = place
            self.registered.setdefault(place, time.time())
            return
        operation_id, what = parts[0], parts[-1]
        if what == "attempts" and response.status_code == 201:
            asked = json.loads(response.request.content)
            self.marks[operation_id, answer["generation"]] = asked["token"]
        elif what == "receipts" and answer["state"] == "confirmed":
            self.confirmed.add(operation_id)
