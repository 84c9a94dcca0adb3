"""A name for each request, so that a page, a log line and an audit entry can be matched; and no
answer of ours is kept where the next person at that browser could read it."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers

HEADER = "X-Request-ID"
# Kept as given only when it is plain: it ends up in logs and in the audit trail.
PLAIN = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware:
    """Set `request.request_id`, bind it to the log, and answer it in X-Request-ID."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer one request under its own name."""
        given = request.headers.get(HEADER, "")
        request_id = given if PLAIN.fullmatch(given) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined] # Django's way of adding one
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response[HEADER] = request_id
        return response


class PrivateAnswersMiddleware:
    """What says nothing about caching is not cached: recovery codes, error pages, the admin site.

    Stands inside WhiteNoise, whose files say for themselves how long they last.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer one request."""
        response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response
