"""Receipts: everything that was said about an effect, by what it was found to be worth."""

from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import Operation, Receipt
from operations.protocol.states import Grade
from operations.roles import Ability
from operations.web.access import page
from operations.web.environment import PARAMETER, environment_in
from operations.web.paging import Page, page_words, place_in
from operations.web.rendering import render_region
from operations.web.voices import voice_of
from reconciliation.queries.receipts import COUNTED, Pile, pile_counts, receipts_page
from reconciliation.web.piles import GUIDES, WORDS, place_of

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One pile, with how many it holds."""

    word: str
    count: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRow:
    """One receipt; `source` is who reported or entered it, "" for the receiver itself.

    `effects_url` is where its operation's effects are compared, "" outside of the duplicates.
    """

    receipt: Receipt
    operation: Operation | None
    source: str
    voice: Grade
    is_unexplained: bool
    effects_url: str


@require_safe
@page(Ability.VIEW)
def receipts(request: HttpRequest) -> HttpResponse:
    """One page of one pile, newest first."""
    pile, environment = _pile(request.GET.get("pile", Pile.ALL)), environment_in(request)
    now, guide = clock.now(), GUIDES[pile]
    guide_url, guide_link = place_of(guide, environment)
    after = place_in(request)
    rows, further = receipts_page(pile, after=after, limit=PAGE_SIZE, environment=environment)
    context = {
        "as_of": now,
        "here": request.get_full_path(),
        "tabs": _tabs(pile, environment),
        "guide": guide,
        "guide_url": guide_url,
        "guide_link": guide_link,
        "receipts": [_row(row, pile) for row in rows],
        "page": Page(
            words=page_words(len(rows), "receipt", order="newest first"),
            first_url=_url(pile, environment) if after else "",
            next_url=_url(pile, environment, after=str(further)) if further else "",
        ),
    }
    return render_region(request, "reconciliation/receipts.html", "receipts", context)


def _row(receipt: Receipt, pile: Pile) -> ReceiptRow:
    effects_url = ""
    if pile is Pile.DUPLICATE:
        effects_url = reverse("reconciliation:effects", args=[receipt.operation_id])
    people = (receipt.reported_by_agent, receipt.entered_by)
    return ReceiptRow(
        receipt=receipt,
        operation=receipt.operation,
        source=next((str(each) for each in people if each is not None), ""),
        voice=voice_of(receipt),
        is_unexplained=is_unexplained(receipt),
        effects_url=effects_url,
    )


def is_unexplained(receipt: Receipt) -> bool:
    """Whether it speaks of an effect and nobody has said whose."""
    return receipt.needs_explanation and getattr(receipt, "explanation", None) is None


def _tabs(current: Pile, environment: str) -> list[Tab]:
    return [
        Tab(
            word=WORDS[pile],
            count=f"{count:,}+" if count == COUNTED else str(count),
            url=_url(pile, environment),
            is_current=pile == current,
        )
        for pile, count in pile_counts(environment=environment).items()
    ]


def _url(pile: Pile, environment: str, **also: str) -> str:
    own = {PARAMETER: environment, "pile": "" if pile == Pile.ALL else str(pile)} | also
    given = {name: value for name, value in own.items() if value}
    there = reverse("reconciliation:receipts")
    return f"{there}?{urlencode(given)}" if given else there


def _pile(word: str) -> Pile:
    if word not in set(Pile):
        raise BadRequest(f"pile: expected one of {', '.join(Pile)}, got {word[:40]}.")
    return Pile(word)
