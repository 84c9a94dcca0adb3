"""A person at the pages without a browser: reads forms as they are sent, and sends them back."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from operations.models import Operation
from tests.build import a_person

HTMX = {"HX-Request": "true"}


@dataclass
class ShownForm:
    """One form of a page: where it goes, and what it carries by itself."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[ShownForm] = []
        self.open: ShownForm | None = None
        self.area = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        said = dict(attrs)
        name = said.get("name", "")
        if tag == "form":
            self.open = ShownForm(said.get("action", ""))
            self.found.append(self.open)
        elif self.open is None or not name:
            return
        elif tag == "textarea":
            self.area = name
            self.open.values[name] = ""
        elif tag == "input" and said.get("type") not in ("radio", "checkbox"):
            self.open.values[name] = said.get("value", "")
        elif tag in ("input", "select"):
            self.open.empty.append(name)

    def handle_data(self, text: str) -> None:
        if self.area and self.open is not None:
            self.open.values[self.area] += text

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open = None
        elif tag == "textarea" and self.open is not None and self.area:
            # A browser leaves out the line break that follows the opening tag.
            self.open.values[self.area] = self.open.values[self.area].removeprefix("\n")
            self.area = ""


def forms_of(response: HttpResponse) -> dict[str, ShownForm]:
    """The forms of an answer by their address."""
    reader = _Forms()
    reader.feed(response.content.decode())
    return {form.action: form for form in reader.found}


class Browser:
    """One signed-in person. CSRF tokens are checked, as they are in real life."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.client = Client(enforce_csrf_checks=True)
        self.client.force_login(user)

    @classmethod
    def of(cls, *roles: str) -> "Browser":
        """A new person with these roles."""
        return cls(a_person("", *roles))

    def get(self, url: str, **given: Any) -> HttpResponse:
        """Read a page, following nothing."""
        return self.client.get(url, **given)

    def part(self, url: str) -> HttpResponse:
        """Read a region, as htmx does."""
        return self.client.get(url, headers=HTMX)

    def open(self, operation: Operation) -> HttpResponse:
        """Read an operation's page."""
        return self.get(reverse("operations:detail", args=[operation.pk]))

    def send(
        self, shown: HttpResponse, noun: str, *, htmx: bool = False, **typed: Any
    ) -> HttpResponse:
        """Fill in and send the form of `shown` whose address ends with `noun`."""
        form = the_form(shown, noun)
        values = form.values | typed
        return self.client.post(form.action, values, headers=HTMX if htmx else {})


def the_form(shown: HttpResponse, noun: str) -> ShownForm:
    """The one form of a page whose address ends with `noun`."""
    found = [form for action, form in forms_of(shown).items() if action.endswith(f"/{noun}/")]
    assert len(found) == 1, f"expected one form for {noun}, got {[f.action for f in found]}"
    return found[0]


def has_form(shown: HttpResponse, noun: str) -> bool:
    """Whether the page has a form for this decision."""
    return any(action.endswith(f"/{noun}/") for action in forms_of(shown))


def text_of(response: HttpResponse) -> str:
    """An answer as text."""
    return response.content.decode()
