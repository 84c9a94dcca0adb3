"""Celery's consumer, which a forged message can't end."""

from collections.abc import Callable
from typing import Any

import structlog
from celery.worker.consumer import Consumer as CeleryConsumer
from kombu.exceptions import KombuError

log = structlog.get_logger()


class Consumer(CeleryConsumer):
    """Refuses messages whose headers break Celery's own handling of them."""

    def create_task_handler(self, *args: Any, **options: Any) -> Callable[[Any], Any]:
        """The function that takes each message."""
        take = super().create_task_handler(*args, **options)

        def take_with_care(message: Any) -> Any:
            try:
                return take(message)
            except self.connection_errors:
                raise
            except Exception as error:
                log.warning("impossible message refused", error=repr(error)[:200])
                if not message.acknowledged:
                    message.reject_log_error(log, (*self.connection_errors, KombuError))
                return None

        return take_with_care
