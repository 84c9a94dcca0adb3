"""The head of the inbox: counts, oldest ages and money at risk by question, and the queues."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from operations.queries.inbox import APPROVAL, Waiting, queue_counts, waiting
from operations.templatetags.looks import QUESTIONS
from operations.web.charts import AGE_STEPS, Bar, Segment, band, bars_of
from operations.web.environment import PARAMETER
from opsconsole.inbox_filter import InboxFilter


class Amount(NamedTuple):
    """A sum in one currency; sums of two currencies are never added."""

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One question: how much waits, how old, how much money."""

    question: str
    word: str
    icon: str
    count: int
    oldest_at: datetime | None
    sums: Sequence[Amount]
    bars: Sequence[Bar]
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All that needs a person, and every open operation by its queue."""

    count: int
    oldest_at: datetime | None
    sums: Sequence[Amount]
    open_count: int
    queues: Sequence[Segment]
    cells: Sequence[Cell]


def summary_of(asked: InboxFilter, now: datetime) -> Summary:
    """Counted at `now` for the filter's environment, over every question."""
    steps = [limit for _, limit in AGE_STEPS[:-1]]
    whole, by_question = waiting(environment=asked.environment, now=now, age_steps=steps)
    queues = queue_counts(environment=asked.environment, now=now)
    lists = reverse("operations:list")
    also = f"&{urlencode({'environment': asked.environment})}" if asked.environment else ""
    none = Waiting(steps=[0] * len(AGE_STEPS))
    return Summary(
        count=whole.count,
        oldest_at=whole.oldest_at,
        sums=_amounts(whole),
        open_count=sum(queues.values()),
        queues=band(
            {str(queue): count for queue, count in queues.items()},
            {str(queue): f"{lists}?queue={queue}{also}" for queue in queues},
        ),
        cells=[
            *(
                _cell(asked, question, by_question.get(question, none), look.word, look.icon)
                for question, look in QUESTIONS.items()
            ),
            _cell(asked, APPROVAL, by_question.get(APPROVAL, none), "Approval", "approval"),
        ],
    )


def _cell(asked: InboxFilter, question: str, found: Waiting, word: str, icon: str) -> Cell:
    is_approval = question == APPROVAL
    return Cell(
        question=str(question),
        word=word,
        icon=icon,
        count=found.count,
        oldest_at=found.oldest_at,
        sums=_amounts(found),
        bars=bars_of(found.steps),
        url=_approvals(asked) if is_approval else asked.url(question=question),
        is_current=asked.question == question,
    )


def _approvals(asked: InboxFilter) -> str:
    query = f"?{urlencode({PARAMETER: asked.environment})}" if asked.environment else ""
    return f"{reverse('operations:approvals')}{query}"


def _amounts(found: Waiting) -> list[Amount]:
    return [Amount(amount, currency) for currency, amount in sorted(found.sums.items())]
