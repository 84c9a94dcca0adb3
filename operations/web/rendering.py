"""One template and one address serve the whole page and its region."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


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
    return bool(request.htmx) and not request.htmx.history_restore_request
