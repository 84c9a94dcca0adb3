"""The database away, or a row locked for too long: 503 with Retry-After instead of a failure."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

log = logging.getLogger(__name__)
RETRY_SECONDS = 2


class DatabaseAwayMiddleware:
    """Answers pages; the API translates the same failures by itself, before they get here."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """503 for what the database did not answer; every other failure stays one."""
        if not isinstance(error, OperationalError | InterfaceError):
            return None
        log.warning("the database did not answer", exc_info=error)
        # Rendered without the request: what a page shows around its content is in the database.
        response = HttpResponse(render_to_string("503.html"), status=503)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
