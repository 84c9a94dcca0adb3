"""Reading cards and pressing their buttons, for the tests of approvals."""

from django.http import HttpResponse
from django.urls import reverse

from operations.models import Approval, Operation
from operations.web.approval_cards import Card
from tests.browsing import HTMX, Browser, forms_of

LIST = "/approvals/"
CHECKED = {"reason": "Seen the parcel."}


def address(approval: Approval) -> str:
    """Where the answer's form goes."""
    return reverse("operations:approval_answer", args=[approval.pk])


def press(
    browser: Browser,
    shown: HttpResponse,
    approval: Approval,
    answer: str,
    *,
    htmx: bool = False,
    **typed: str,
) -> HttpResponse:
    """Press one of the two buttons on the card of `shown`."""
    values = forms_of(shown)[address(approval)].values | {"answer": answer} | typed
    return browser.client.post(address(approval), values, headers=HTMX if htmx else {})


def keys(answer: HttpResponse) -> list[str]:
    """The keys that a page shows, in order."""
    return [card.operation.key for card in answer.context["cards"]]


def the_card(browser: Browser, operation: Operation, query: str = "") -> Card:
    """The card of one operation on a list."""
    cards = browser.get(f"{LIST}{query}").context["cards"]
    return next(card for card in cards if card.operation == operation)


def token_of(browser: Browser) -> str:
    """A CSRF token of that person's own session."""
    there = "/accounts/password/change/"
    return forms_of(browser.get(there))[there].values["csrfmiddlewaretoken"]


def forged(browser: Browser, operation: Operation, answer: str = "yes") -> dict[str, str]:
    """What a form would carry, for somebody who was shown none."""
    return {
        "csrfmiddlewaretoken": token_of(browser),
        "version": str(operation.version),
        "decision_id": "forged",
        "digest_seen": operation.payload_digest,
        "answer": answer,
        **CHECKED,
    }
