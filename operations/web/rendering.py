"""One template and one address serve the whole page and its region."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


def render_region(
    request: HttpRequest,
    template: str,
    region: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """The region alone when htmx asks for it, the page otherwise.

    `region` is a literal of the view, never a word of the request. A page that is restored from
    history is asked for whole.
    """
    name = f"{template}#{region}" if wants_region(request) else template
    response = render(request, name, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def wants_region(request: HttpRequest) -> bool:
    """Whether this request is htmx's own for a part of the page."""
    details = htmx_of(request)
    return bool(details) and not details.history_restore_request


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """What htmx says about its request; false for any other request."""
    found: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    return found
