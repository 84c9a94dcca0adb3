"""How structlog's events become lines of the standard log, one a line whatever they hold."""

from typing import Any

import structlog
from structlog.typing import EventDict


def configure() -> None:
    """Send structlog through the standard library, with what the request bound to it."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.format_exc_info,
            as_line,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def as_line(logger: Any, method: str, event: EventDict) -> str:
    """Return the event, then `name=value`; anything but plain text is quoted, so no line breaks."""
    words = [str(event.pop("event"))]
    words += [f"{name}={_plain(value)}" for name, value in event.items()]
    return " ".join(words)


def _plain(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and text and " " not in text else repr(text)
