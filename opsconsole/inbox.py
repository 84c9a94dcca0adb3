"""The landing page: what needs a person, oldest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import Operation, Review
from operations.protocol.refusals import InvalidField
from operations.protocol.states import ChoiceCode, Question
from operations.queries.inbox import CaseFilter, cases_page
from operations.queries.places import RowPlace
from operations.roles import Ability
from operations.templatetags.looks import CHOICES
from operations.web.access import page
from operations.web.paging import Page, page_words
from operations.web.rendering import render_region
from opsconsole.inbox_filter import InboxFilter
from opsconsole.inbox_summary import summary_of

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """One open review with its operation; `proposed` is a choice that waits for a second."""

    question: str
    opened_at: datetime
    reason: str
    operation: Operation
    request_count: int
    effect_count: int
    has_more_effects: bool
    holder: str
    holder_until: datetime | None
    is_held: bool
    proposed: str


@require_safe
@page(Ability.VIEW)
def inbox(request: HttpRequest) -> HttpResponse:
    """What needs a person, oldest first."""
    asked, now = InboxFilter.read(request), clock.now()
    after = _place(request)
    wanted = CaseFilter(
        environment=asked.environment,
        question=Question(asked.question) if asked.question else None,
        holder_id=request.user.pk if asked.is_mine else None,
    )
    reviews, further = cases_page(wanted, now=now, after=after, limit=PAGE_SIZE)
    context: dict[str, Any] = {
        "as_of": now,
        "here": request.get_full_path(),
        "filter": asked,
        "summary": summary_of(asked, now),
        "cases": [_row(review, now) for review in reviews],
        "page": Page(
            words=page_words(len(reviews), "case", order="oldest first"),
            first_url=asked.url() if after else "",
            next_url=asked.url(after=str(further)) if further else "",
        ),
    }
    return render_region(request, "operations/inbox.html", "waiting", context)


def _place(request: HttpRequest) -> RowPlace | None:
    try:
        return RowPlace.read(request.GET.get("after", ""))
    except InvalidField as refusal:
        raise BadRequest(refusal.detail) from refusal


def _row(review: Review, now: datetime) -> CaseRow:
    operation: Operation = review.operation
    counted: Any = review
    until = operation.review_expires_at
    return CaseRow(
        question=review.question,
        opened_at=review.opened_at,
        reason=review.reason,
        operation=operation,
        request_count=counted.request_count,
        effect_count=counted.effect_count,
        has_more_effects=counted.effect_count > 1,
        holder=operation.review_holder.username if operation.review_holder else "",
        holder_until=until,
        is_held=until is not None and until > now,
        proposed=CHOICES[ChoiceCode(counted.proposed)].word if counted.proposed else "",
    )
