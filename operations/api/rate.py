"""How often a token may ask: a bucket per token, in this process."""

import math
import threading
import time
from collections.abc import Callable

from operations.protocol.refusals import RateLimited
from operations.registry import configuration


class Rate:
    """A bucket a token holds one minute's worth of requests and fills again at that rate.

    It lives in the process: it stops a runaway loop, it is no quota. Several web processes allow
    that many each, and a restart fills every bucket.
    """

    def __init__(self, *, per_minute: Callable[[], int], clock: Callable[[], float]) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._lock = threading.Lock()
        self._buckets: dict[int, tuple[float, float]] = {}

    def take(self, token_id: int) -> None:
        """Count one request. Raises RateLimited when the bucket is empty."""
        most = self._per_minute()
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(token_id, (float(most), now))
            left = min(float(most), left + (now - since) * most / 60)
            is_allowed = left >= 1
            self._buckets[token_id] = (left - 1 if is_allowed else left, now)
        if not is_allowed:
            raise RateLimited(
                expected=f"{most} requests a minute with one token",
                got="more",
                retry_after_seconds=max(1, math.ceil((1 - left) * 60 / most)),
            )


def _configured() -> int:
    return configuration().api_requests_per_minute


rate = Rate(per_minute=_configured, clock=time.monotonic)
