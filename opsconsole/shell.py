"""What every page shows around its content: a context processor, read only by pages that ask."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from operations import clock
from operations.models import Halt
from operations.queries.halts import halts_in_force
from operations.queries.waiting_counts import WaitingCounts, waiting_counts
from operations.registry import DRILL, configuration, has_environment
from operations.roles import Ability, may, roles_of
from operations.web.environment import PARAMETER
from reconciliation.queries.statements import statements_to_second

# The lists that an environment narrows; the switch stays on them and leads to one from elsewhere.
NARROWED = (
    "inbox",
    "operations:list",
    "operations:approvals",
    "operations:audit",
    "reconciliation:receipts",
    "reconciliation:receivers",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One page of the top bar."""

    name: str
    url: str
    icon: str
    count: int = 0
    needs_person: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentLink:
    """One environment of the switch; an empty name stands for all of them."""

    name: str
    word: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who is signed in, with their roles in words."""

    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The frame around a page. `admin_url` is "" for whoever may not administer."""

    nav: list[NavItem]
    environments: list[EnvironmentLink]
    halts: list[Halt]
    person: Person
    release: str
    admin_url: str


def shell(request: HttpRequest) -> dict[str, Any]:
    """`shell`, `as_of` and `statements_waiting`: read at most once, by a template that shows it."""

    @cache
    def frame() -> Shell:
        return _shell(request)

    @cache
    def as_of() -> datetime:
        return clock.now()

    @cache
    def statements_waiting() -> int:
        return statements_to_second(environment=_environment(request))

    found: dict[str, Callable[[], Any]] = {
        "shell": frame,
        "as_of": as_of,
        "statements_waiting": statements_waiting,
    }
    return found


def _shell(request: HttpRequest) -> Shell:
    here, environment = _here(request), _environment(request)
    return Shell(
        nav=_nav(request, here, environment, waiting_counts(environment=environment)),
        environments=_environments(here, environment),
        halts=list(halts_in_force()),
        person=Person(
            name=request.user.get_username(),
            role=", ".join(sorted(roles_of(request.user))) or "no role",
        ),
        release=release(),
        admin_url=reverse("admin:index") if may(request.user, Ability.ADMINISTER) else "",
    )


def _here(request: HttpRequest) -> str:
    return request.resolver_match.view_name if request.resolver_match else ""


def _environment(request: HttpRequest) -> str:
    """The environment in force; a word that is none narrows nothing, and the page says so."""
    if _here(request) not in NARROWED:
        return ""
    named = request.GET.get(PARAMETER, "")
    return named if has_environment(named) else ""


def _nav(
    request: HttpRequest, here: str, environment: str, waiting: WaitingCounts
) -> list[NavItem]:
    items = [
        NavItem(
            name="Inbox",
            url=_address("inbox", environment),
            icon="inbox",
            count=waiting.reviews + waiting.approvals,
            needs_person=True,
            is_current=here == "inbox",
        ),
        NavItem(
            name="Operations",
            url=_address("operations:list", environment),
            icon="list",
            is_current=(here.startswith("operations:") and here not in _OWN_PAGES)
            or here == "reconciliation:effects",
        ),
        NavItem(
            name="Approvals",
            url=_address("operations:approvals", environment),
            icon="approval",
            count=waiting.approvals,
            needs_person=may(request.user, Ability.APPROVE),
            is_current=here in ("operations:approvals", "operations:approval_answer"),
        ),
        _plain("Receipts", "reconciliation:receipts", "receipt", here, environment, *_OF_RECEIPTS),
        _plain("Receivers", _RECEIVERS, "receiver", here, environment, *_DRILLS),
    ]
    if may(request.user, Ability.READ_AUDIT):
        items.append(_plain("Audit", "operations:audit", "audit", here, environment))
    return items


def _plain(name: str, view: str, icon: str, here: str, environment: str, *below: str) -> NavItem:
    url = _address(view, environment)
    return NavItem(name=name, url=url, icon=icon, is_current=here in (view, *below))


_RECEIVERS = "reconciliation:receivers"
# They are reached from the receipts' page.
_OF_RECEIPTS = (
    "reconciliation:receipt",
    "reconciliation:statements",
    "reconciliation:statement",
)
# They are reached from the receivers' page.
_DRILLS = ("reconciliation:drills", "reconciliation:drill_run")


_OWN_PAGES = (
    "operations:approvals",
    "operations:approval_answer",
    "operations:audit",
    "operations:halts",
    "operations:halt_lifting",
)


def _environments(here: str, current: str) -> list[EnvironmentLink]:
    there = here if here in NARROWED else "operations:list"
    named = [("", "All"), *((name, name) for name in configuration().environments)]
    if current == DRILL:  # somebody followed a link of the drills' page; it is not offered else
        named.append((DRILL, DRILL))
    return [
        EnvironmentLink(name=name, word=word, url=_address(there, name), is_current=name == current)
        for name, word in named
    ]


def _address(view: str, environment: str) -> str:
    query = f"?{urlencode({PARAMETER: environment})}" if environment else ""
    return f"{reverse(view)}{query}"


@cache
def release() -> str:
    """The version that the project's own file says."""
    text = (settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])
