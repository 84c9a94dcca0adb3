"""The API as one object, and its addresses, to be mounted under /api/v1/."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, re_path
from django.views.decorators.csrf import csrf_exempt

from operations.api import claims, handlers, reads, register, reports, requests
from operations.api.body import StrictParser
from operations.api.caller import BearerToken
from operations.api.openapi import DocumentedAPI
from operations.api.problems import problem
from operations.api.router import router
from operations.protocol.refusals import MethodNotAllowed

# Imported for the routes that they add to the router.
ROUTES = (register, reads, claims, reports, requests)
type View = Callable[..., HttpResponse]

api = DocumentedAPI(
    title="opsconsole",
    version="1",
    description="The durable record of external effects: register, claim, mark, send once, report.",
    urls_namespace="api",
    openapi_url="/openapi.json",
    docs_url=None,
    auth=BearerToken(),
    parser=StrictParser(),
)
api.add_router("/operations", router)
handlers.add_handlers(api)


def urls() -> tuple[list[URLPattern], str, str]:
    """The addresses; every other one below them, and every other method, is a problem document."""
    found, app_name, namespace = api.urls
    patterns = [pattern for pattern in found if isinstance(pattern, URLPattern)]
    for pattern in patterns:
        pattern.callback = _with_problems(cast("View", pattern.callback))
    return [*patterns, re_path(r"^.*$", nowhere, name="nowhere")], app_name, namespace


@csrf_exempt
def nowhere(request: HttpRequest) -> HttpResponse:
    """No such address."""
    return handlers.missing(request, Http404())


def _with_problems(view: View) -> View:
    @wraps(view)
    def answered(request: HttpRequest, **given: Any) -> HttpResponse:
        try:
            response = view(request, **given)
        except Http404 as error:
            return handlers.missing(request, error)
        if response.status_code != 405:
            return response
        allowed = ", ".join(sorted(response["Allow"].split(", ")))
        told = problem(request, MethodNotAllowed(expected=allowed, got=request.method))
        told["Allow"] = allowed
        return told

    return answered
