"""The list of operations: search, filters, pages."""

from collections.abc import Sequence
from datetime import datetime

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import Operation
from operations.protocol.refusals import InvalidField
from operations.queries.newest_first import page_newest_first, place_from, place_text
from operations.queries.operation_list import Place
from operations.queries.operation_search import found_operations
from operations.queries.row import row_of
from operations.roles import Ability
from operations.web.access import page
from operations.web.list_filter import ListFilter
from operations.web.paging import Page, page_words
from operations.web.rendering import render_region

PAGE_SIZE = 50


@require_safe
@page(Ability.VIEW)
def operation_list(request: HttpRequest) -> HttpResponse:
    """One page of the operations that match, newest first."""
    asked = ListFilter.read(request.GET)
    now = clock.now()
    try:
        after = place_from(request.GET.get("after", ""))
    except InvalidField as refusal:
        raise BadRequest(refusal.detail) from refusal
    rows, further = _page(asked, after, now)
    context = {
        "as_of": now,
        "here": request.get_full_path(),
        "operations": [row_of(row, now=now) for row in rows],
        "filter": asked,
        "page": Page(
            words=page_words(len(rows), "operation", order="newest first"),
            first_url=asked.url() if after else "",
            next_url=asked.url(after=place_text(further)) if further else "",
        ),
    }
    return render_region(request, "operations/operation_list.html", "results", context)


def _page(
    asked: ListFilter, after: Place | None, now: datetime
) -> tuple[Sequence[Operation], Place | None]:
    if asked.search is None:
        return [], None
    return page_newest_first(found_operations(asked.search, now=now), after=after, limit=PAGE_SIZE)
