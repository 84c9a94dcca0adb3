"""Celery's consumer, which takes our hints and nothing else: no message ends or steers a worker."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import structlog
from celery.worker.consumer import Consumer as CeleryConsumer

log = structlog.get_logger()

# The name of a task, an id and the time at which it is over are well below this.
LONGEST_BODY_BYTES = 4_096


class Consumer(CeleryConsumer):
    """Refuses what is no hint, and drops every header that a hint does not need.

    Those can set time limits, call tasks back and more; some end the worker that reads them, and
    the next one that gets the message again.
    """

    def create_task_handler(self, *args: Any, **options: Any) -> Callable[[Any], Any]:
        """The function that takes each message."""
        take = super().create_task_handler(*args, **options)

        def take_with_care(message: Any) -> Any:
            try:
                require_hint(message)
                message.headers = plain_headers(message.headers)
                return take(message)
            except KeyError as error:  # kombu takes it for a lost connection; it is what lacks here
                refuse(message, error)
            except self.connection_errors:
                raise
            except Exception as error:  # whatever it did, the worker goes on with the next one
                refuse(message, error)
            return None

        def refuse(message: Any, error: Exception) -> None:
            log.warning("message refused", error=repr(error)[:200])
            if not message.acknowledged:
                message.reject_log_error(log, self.connection_errors)

        return take_with_care


def require_hint(message: Any) -> None:
    """Return when the body is that of a hint. Raises ValueError with what was expected."""
    kind = (message.content_type, message.content_encoding)
    if kind != ("application/json", "utf-8"):
        raise ValueError(f"expected JSON in UTF-8, got {kind!r}")
    if len(message.body) > LONGEST_BODY_BYTES:
        raise ValueError(f"expected {LONGEST_BODY_BYTES} bytes at most, got {len(message.body)}")
    body = json.loads(message.body)
    if not isinstance(body, list) or len(body) != 3:
        raise ValueError("expected arguments, options and follow-ups")
    arguments, named, follow_ups = body
    if not isinstance(arguments, list) or not all(isinstance(each, str) for each in arguments):
        raise ValueError("expected a list of ids as arguments")
    if named or not isinstance(follow_ups, dict) or any(follow_ups.values()):
        raise ValueError("expected no named arguments and no follow-ups")


def plain_headers(headers: Any) -> dict[str, Any]:
    """The task, the message's id and when it is over. Raises ValueError, KeyError, TypeError."""
    task, own_id, expires = headers["task"], headers["id"], headers.get("expires")
    if not isinstance(task, str) or not isinstance(own_id, str):
        raise ValueError(f"expected the names of a task and a message, got {task!r}, {own_id!r}")
    if expires is not None:
        datetime.fromisoformat(expires)
    return {"lang": "py", "task": task, "id": own_id, "root_id": own_id, "expires": expires}
