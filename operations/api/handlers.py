"""From what goes wrong to a problem document; the one place where the API translates it."""

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from operations.api.body import BODY_BYTES
from operations.api.caller import Caller
from operations.api.mistakes import first_mistake
from operations.api.problems import Unexpected, problem
from operations.api.representation import operation_members
from operations.models import Operation
from operations.protocol.refusals import InvalidField, NotFound, Refusal, TooLarge, Unavailable
from operations.queries.operation_records import record_of

log = logging.getLogger(__name__)
RETRY_SECONDS = 2
# Refusals about the operation's record or about evidence of it; the others say nothing of it.
ABOUT_THE_RECORD = (409,)


def add_handlers(api: NinjaAPI) -> None:
    """Let every failure of a view be answered with a problem document."""
    api.add_exception_handler(Refusal, refused)
    api.add_exception_handler(ValidationError, invalid)
    api.add_exception_handler(HttpError, wrapped)
    api.add_exception_handler(Http404, missing)
    api.add_exception_handler(RequestDataTooBig, too_big)
    api.add_exception_handler(SuspiciousOperation, suspicious)
    api.add_exception_handler(UnreadablePostError, broken_off)
    api.add_exception_handler(OperationalError, away)
    api.add_exception_handler(InterfaceError, away)
    api.add_exception_handler(Exception, unexpected)


def refused(request: HttpRequest, refusal: Any) -> HttpResponse:
    """A refusal, with the operation's current record where it is about that."""
    return problem(request, refusal, operation=_current(request, refusal))


def invalid(request: HttpRequest, error: Any) -> HttpResponse:
    """A body or query that its schema forbids."""
    return problem(request, first_mistake(error))


def wrapped(request: HttpRequest, error: Any) -> HttpResponse:
    """Ninja wraps what a parser raises; what it wrapped says more."""
    if isinstance(error.__cause__, Refusal):
        return problem(request, error.__cause__)
    if isinstance(error.__cause__, RequestDataTooBig):
        return too_big(request, error.__cause__)
    return unexpected(request, error)


def missing(request: HttpRequest, error: Any) -> HttpResponse:
    """No such address."""
    return problem(request, NotFound(what="address", got=request.path))


def too_big(request: HttpRequest, error: Any) -> HttpResponse:
    """A body that grew beyond what is read."""
    return problem(request, TooLarge(field="body", expected=BODY_BYTES, got="more"))


def suspicious(request: HttpRequest, error: Any) -> HttpResponse:
    """What Django refuses to read, such as thousands of query parameters."""
    return problem(
        request,
        InvalidField(
            field="query", expected="a few parameters that are known", got=type(error).__name__
        ),
    )


def broken_off(request: HttpRequest, error: Any) -> HttpResponse:
    """The sender went away in the middle of its body; nobody may be left to read this."""
    return problem(
        request, InvalidField(field="body", expected="the whole body", got="a part of it")
    )


def away(request: HttpRequest, error: Any) -> HttpResponse:
    """The database is away, full, or waited too long for a lock."""
    log.warning("database away at %s: %s", request.path, str(error).partition("\n")[0])
    return problem(request, Unavailable(what="The database", retry_after_seconds=RETRY_SECONDS))


def unexpected(request: HttpRequest, error: Any) -> HttpResponse:
    """A mistake of ours: logged with its trace, answered without it."""
    log.error("unexpected error at %s", request.path, exc_info=error)
    return problem(request, Unexpected())


def _current(request: HttpRequest, refusal: Refusal) -> dict[str, Any] | None:
    who = getattr(request, "auth", None)
    is_about = refusal.status in ABOUT_THE_RECORD or refusal.code == "receipt_mismatch"
    pk = refusal.members.get("operation_id") or _path_id(request)
    if not isinstance(who, Caller) or not is_about or pk is None:
        return None
    try:
        found = Operation.objects.filter(pk=pk, agent_id=who.agent_id).first()
        return operation_members(record_of(found)) if found else None
    except (OperationalError, InterfaceError):
        return None  # the refusal stands without it


def _path_id(request: HttpRequest) -> str | None:
    match = request.resolver_match
    return match.kwargs.get("operation_id") if match else None
