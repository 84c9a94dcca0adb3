"""The floor of a backlog: the same look-ups through the product's connector, nothing recorded.

python -m opsconsole.bench.lookups_alone URL THREADS COUNT
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from operations.protocol.profiles import Profile
from operations.receivers.base import Found, ReceiverConfig
from operations.receivers.connectors import connector

ASK_SECONDS = 10


def main(url: str, threads: int, count: int) -> None:
    """Ask for `count` orders; an answer that is not one of them ends it."""
    profile = Profile(receiver="sandbox", connector="sandbox", has_lookup=True)
    asker = connector(
        ReceiverConfig(name="sandbox", environment="production", profile=profile, base_url=url)
    )
    assert asker is not None

    def ask(number: int) -> None:
        seen = asker.look_up(
            f"alone-{number}", environment="production", deadline_seconds=ASK_SECONDS
        )
        if not isinstance(seen, Found):
            raise RuntimeError(f"expected a record, got {seen}")

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(ask, range(count)):
            pass


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
