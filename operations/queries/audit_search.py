"""Audit entries that match a filter, newest first, page by page."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from operations.actors import ActorKind
from operations.models import Agent, AuditEntry, Operation
from operations.protocol.states import State
from operations.queries.places import RowPlace, page_of

ABOUT_OPERATIONS = "operation"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSearch:
    """Which entries. Empty words and None do not narrow; `text` is a key, a name or a request id.

    `trail` is a stream that is not about an operation, or ABOUT_OPERATIONS.
    `since` is included, `until` is not.
    """

    environment: str = ""
    actor_kind: ActorKind | None = None
    actor: str = ""
    event: str = ""
    operation: str = ""
    state: State | None = None
    trail: str = ""
    request_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""


def found_entries(
    wanted: AuditSearch, *, after: RowPlace | None, limit: int
) -> tuple[Sequence[AuditEntry], RowPlace | None]:
    """At most `limit` entries older than `after`, and the place to go on from.

    Each comes with its words and its operation.
    """
    read_along = ("words", "operation", "operation__agent")
    rows = AuditEntry.objects.filter(_narrowed(wanted)).select_related(*read_along)
    return page_of(_without_payload(rows), by="at", after=after, limit=limit)


def operation_named(text: str) -> UUID | None:
    """The one operation whose id or key this is; None when there is none, or several."""
    found = list(_named(text).values_list("pk", flat=True)[:2])
    return found[0] if len(found) == 1 else None


def _named(text: str) -> QuerySet[Operation]:
    named = Q(key=text)
    with suppress(ValueError):
        named |= Q(pk=UUID(text))
    return Operation.objects.filter(named)


def _narrowed(wanted: AuditSearch) -> Q:
    columns = {
        "operation__environment": wanted.environment,
        "actor_kind": wanted.actor_kind,
        "event": wanted.event,
        "state_after": wanted.state,
        "request_id": wanted.request_id,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
    }
    chosen = Q(**{name: value for name, value in columns.items() if value})
    if wanted.trail == ABOUT_OPERATIONS:
        chosen &= Q(operation__isnull=False)
    elif wanted.trail:
        chosen &= Q(stream=wanted.trail)
    if wanted.operation:
        chosen &= Q(operation__in=_named(wanted.operation))
    if wanted.actor:
        chosen &= _acted(wanted.actor)
    return chosen & _told(wanted.text) if wanted.text else chosen


def _told(text: str) -> Q:
    about = Q(operation__in=_named(text))
    return about | _acted(text) | Q(request_id=text)


def _acted(name: str) -> Q:
    """Entries of the person, agent or part of the system that has this name."""
    people = User.objects.filter(username__iexact=name).values_list("pk", flat=True)
    agents = Agent.objects.filter(name__iexact=name).values_list("pk", flat=True)
    return (
        Q(actor_kind=ActorKind.PERSON, actor_id__in=[str(pk) for pk in people])
        | Q(actor_kind=ActorKind.AGENT, actor_id__in=[str(pk) for pk in agents])
        | Q(actor_kind=ActorKind.SYSTEM, actor_id=name)
    )


def _without_payload(rows: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    """An operation's payload may be a megabyte; only what names it is read along."""
    own = [field.name for field in AuditEntry._meta.concrete_fields]  # noqa: SLF001
    words = ["words__salt", "words__actor_name", "words__reason"]
    about = ["key", "title", "environment", "agent__name"]
    return rows.only(*own, *words, *(f"operation__{name}" for name in about))
