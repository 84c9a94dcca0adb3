"""The broker, met with suspicion: garbage in a queue is dropped, and one that is back is noticed.

A message is a hint that anybody with access to the broker can forge (rule 10). Kombu's transport
for Redis lets one that it can't read end the worker, and waits up to 30 s before it looks whether
a broker is back.
"""

from queue import Empty
from typing import Any

import structlog
from celery.app.amqp import AMQP
from kombu.connection import Connection as KombuConnection
from kombu.transport import TRANSPORT_ALIASES, redis

log = structlog.get_logger()

LOOK_AGAIN_SECONDS = 2


class Channel(redis.Channel):
    """Reads one message at a time, and drops what is none."""

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call] # kombu's
        except KeyError as error:  # a member is missing; kombu takes it for a lost connection
            log.warning("unreadable message dropped", error=repr(error)[:200])
            return True
        except (*self.connection_errors, *self.connection.channel_errors, Empty):
            raise
        except Exception as error:  # whatever reading it did: it is off the queue by now
            log.warning("unreadable message dropped", error=repr(error)[:200])
            return True


class Transport(redis.Transport):
    """Redis and Valkey."""

    Channel = Channel


class Connection(KombuConnection):
    """Looks again and again, and no more seldom with time, whether a broker is back."""

    def _ensure_connection(self, *args: Any, **options: Any) -> Any:
        options |= {"interval_start": LOOK_AGAIN_SECONDS, "interval_step": 0}
        return super()._ensure_connection(*args, **options)  # type: ignore[no-untyped-call]


class Amqp(AMQP):
    """Makes the application's connections ours."""

    Connection = Connection


def use_own_transport() -> None:
    """Let every redis:// address be served by the transport above."""
    place = f"{__name__}:{Transport.__name__}"
    TRANSPORT_ALIASES.update(redis=place, rediss=place)
