"""What happens later by itself: late commits, and webhooks that are due."""

import logging
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

from reconciliation.sandbox.delivery import Webhooks
from reconciliation.sandbox.orders import make_late_commits
from reconciliation.sandbox.outbox import claim_due
from reconciliation.sandbox.store import Store, Stores

log = logging.getLogger("sandbox.background")

STEP_SECONDS = 0.05


class Background:
    """A thread that works off what is due; that is in the stores, so a kill loses nothing."""

    def __init__(self, stores: Stores, webhooks: Webhooks | None) -> None:
        self._stores = stores
        self._webhooks = webhooks
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._senders = ThreadPoolExecutor(max_workers=8, thread_name_prefix="webhook")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the present step; deliveries not begun stay due in their store."""
        self._stopped.set()
        self._thread.join()
        self._senders.shutdown(cancel_futures=True)

    def _run(self) -> None:
        while not self._stopped.wait(STEP_SECONDS):
            for store in self._stores.all():
                try:
                    self._step(store)
                except sqlite3.Error:
                    log.exception("store of %s: tried again in the next step", store.environment)

    def _step(self, store: Store) -> None:
        webhooks = self._webhooks
        make_late_commits(store, sends_webhooks=webhooks is not None and webhooks.sends_always)
        if webhooks is None:
            return
        for row in claim_due(store):
            self._senders.submit(webhooks.deliver, store, row)
