"""A person who reads pages all the while: each comes, or says when to come back."""

import threading
from collections import Counter
from itertools import cycle

import httpx

from tests.campaigns.surroundings.site import Site
from tests.campaigns.surroundings.witness import AWAY
from tests.journeys.person import Person

PAGES = ("/", "/operations/", "/approvals/", "/receipts/", "/receivers/")
PAUSE_SECONDS = 0.5


class Reader:
    """Signs in when it is made, with everything whole; reads in a thread until it is told to end.

    `faults`: a page that failed otherwise than with 503, or that asked to sign in again.
    """

    def __init__(self, site: Site) -> None:
        self.statuses: Counter[int] = Counter()
        self.faults: list[str] = []
        self._person = Person(site, "operator")
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def end(self) -> None:
        """Read no further page."""
        self._is_over.set()
        self._thread.join(timeout=60)
        self._person.close()

    def _read(self) -> None:
        for page in cycle(PAGES):
            if self._is_over.wait(PAUSE_SECONDS):
                return
            try:
                answer = self._person.http.get(page)
            except httpx.HTTPError:
                continue  # no answer at all is no wrong answer
            self.statuses[answer.status_code] += 1
            is_calm = answer.status_code == AWAY and "Retry-After" in answer.headers
            if answer.status_code != 200 and not is_calm:
                self.faults.append(f"GET {page}: {answer.status_code} {answer.text[:200]}")
