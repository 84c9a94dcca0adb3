"""A receiver that can't be reached: its configured address leads nowhere for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.conf import settings

# Port 9 (discard) is where nobody listens, so a connection is really refused.
NOWHERE = "http://127.0.0.1:9"


@contextmanager
def outage_of(receiver: str) -> Iterator[None]:
    """Within this process, every call of that receiver fails to connect."""
    before = settings.OPSCONSOLE
    receivers = {
        place: replace(config, base_url=NOWHERE) if config.name == receiver else config
        for place, config in before.receivers.items()
    }
    settings.OPSCONSOLE = replace(before, receivers=receivers)
    try:
        yield
    finally:
        settings.OPSCONSOLE = before
