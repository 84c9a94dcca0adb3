"""The tags and filters of the console's templates: looks, icons, instants, money, digests."""

from datetime import datetime, timedelta
from decimal import Decimal

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from operations.protocol.audit_events import sentence_of
from operations.protocol.states import (
    ApprovalStatus,
    ChoiceCode,
    LookupResult,
    Question,
    Queue,
    State,
)
from operations.templatetags import looks, wording

register = template.Library()


@register.simple_tag
def icon(name: str, kind: str = "") -> SafeString:
    """One symbol of icons.svg. Always decorative: the word stands beside it."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" icon--{kind}" if kind else "",
        static("icons.svg"),
        name,
    )


@register.simple_tag
def state_look(state: str, grade: str | None) -> looks.Look:
    """The look of a state; `grade` decides for a confirmed one."""
    return looks.state_look(state, grade)


@register.filter
def queue_look(value: str) -> looks.Look:
    """The look of a queue."""
    return looks.look_of(looks.QUEUES, Queue, value)


@register.filter
def question_look(value: str) -> looks.Look:
    """The look of a review's question."""
    return looks.look_of(looks.QUESTIONS, Question, value)


@register.filter
def verdict_look(value: str, voice: str) -> looks.Look:
    """The look of a receipt's verdict; `voice` is the grade that its channel can give."""
    return looks.verdict_look(value, voice)


@register.filter
def lookup_look(value: str) -> looks.Look:
    """The look of a lookup's result."""
    return looks.look_of(looks.LOOKUP_RESULTS, LookupResult, value)


@register.filter
def approval_look(value: str) -> looks.Look:
    """The look of an approval's status."""
    return looks.look_of(looks.APPROVAL_STATUSES, ApprovalStatus, value)


@register.filter
def choice_look(value: str) -> looks.Look:
    """The verb and icon of a choice."""
    return looks.look_of(looks.CHOICES, ChoiceCode, value)


@register.filter
def event_sentence(event: str) -> str:
    """An event of the audit trail in words."""
    return sentence_of(event)


@register.filter
def state_word(value: str) -> str:
    """A state as an audit entry tells it; one that nobody knows stays as it was written."""
    return looks.STATES[State(value)].word if value in set(State) else value


@register.filter
def from_now(at: datetime, now: datetime) -> str:
    """An instant relative to the page's clock: "3 h 12 m ago", "in 42 s"."""
    return wording.relative(at, now)


@register.filter
def since(now: datetime, at: datetime) -> str:
    """The length between an instant and the page's clock: "3 h 12 m"."""
    return wording.span(now - at)


@register.filter
def span(length: timedelta) -> str:
    """A length: "3 h 12 m"."""
    return wording.span(length)


@register.filter
def exact(at: datetime) -> str:
    """An instant to the millisecond, in the person's zone, with the zone."""
    return wording.exact(timezone.localtime(at))


@register.filter
def full_second(at: datetime) -> datetime:
    """The instant rounded up, as sentences write it: nothing ends or opens earlier than is said."""
    return at if not at.microsecond else at.replace(microsecond=0) + timedelta(seconds=1)


@register.filter
def clock_time(at: datetime) -> str:
    """The time of day to the second, in the person's zone."""
    return f"{timezone.localtime(at):%H:%M:%S}"


@register.filter
def zone(at: datetime) -> str:
    """The person's zone at an instant."""
    return wording.zone(timezone.localtime(at))


@register.filter
def money(amount: Decimal, currency: str) -> str:
    """An amount in the person's locale, every digit kept."""
    return wording.money(amount, currency, get_language() or "en")


@register.filter
def shortened(text: str) -> str:
    """The two ends of a long id or digest."""
    return wording.shortened(text)


@register.filter
def byte_size(count: int) -> str:
    """A size in bytes, KiB or MiB."""
    return wording.byte_size(count)


@register.filter
def raw_text(raw: bytes | memoryview | None) -> str:
    """Kept bytes as text: undecodable ones and control characters stay visible as escapes."""
    text = bytes(raw or b"").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
