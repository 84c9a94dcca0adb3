"""POST /hooks/{environment}/{receiver}: where receivers send their signed webhooks."""

from dataclasses import asdict

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from operations.api.problems import problem
from operations.protocol.refusals import (
    MethodNotAllowed,
    NotFound,
    Refusal,
    TooLarge,
    Unavailable,
    UnknownEnvironment,
    UnknownReceiver,
)
from reconciliation.actions.take_webhook import take_webhook
from reconciliation.actions.verify_webhook import MAX_BYTES

log = structlog.get_logger()

AGAIN_AFTER_SECONDS = 5


@csrf_exempt  # the signature, and nothing of a browser's, says who sends
def webhook(request: HttpRequest, environment: str, receiver: str) -> HttpResponse:
    """200 once it is kept, a copy included; else a problem document with what to do."""
    try:
        if request.method != "POST":
            raise MethodNotAllowed(expected="POST", got=request.method)
        taken = take_webhook(
            environment=environment,
            receiver=receiver,
            headers={name.lower(): value for name, value in request.headers.items()},
            raw=_body(request),
        )
    except (UnknownEnvironment, UnknownReceiver):
        return problem(request, NotFound(what="webhook address", got=request.path))
    except Refusal as refusal:
        return problem(request, refusal)
    except (OperationalError, InterfaceError) as error:
        log.warning("webhook not kept", error=str(error))
        away = Unavailable(what="The database", retry_after_seconds=AGAIN_AFTER_SECONDS)
        return problem(request, away)
    # Also for a used id with other bytes: it is kept and seen, and to send it again helps nobody.
    return JsonResponse({"kept": True, **asdict(taken)})


def _body(request: HttpRequest) -> bytes:
    """The bytes as they came. Raises TooLarge before more than the limit is in memory."""
    raw = request.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        sent = request.headers.get("Content-Length") or f"over {MAX_BYTES}"
        raise TooLarge(expected=MAX_BYTES, got=sent)
    return raw


urlpatterns = [path("hooks/<str:environment>/<str:receiver>", webhook, name="webhook")]
