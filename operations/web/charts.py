"""Geometry of the console's small charts: plain numbers, which the templates put into SVG."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

AGE_STEPS = (
    ("under 5 m", timedelta(minutes=5)),
    ("under 1 h", timedelta(hours=1)),
    ("under 6 h", timedelta(hours=6)),
    ("under 1 d", timedelta(days=1)),
    ("under 3 d", timedelta(days=3)),
    ("older", timedelta.max),
)
CHART_WIDTH, CHART_HEIGHT, BAR_GAP = 100, 32, 4
SMALLEST_BAR, SMALLEST_SEGMENT = 4.0, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a histogram in a 100 x 32 box; y grows downwards, as in SVG."""

    word: str
    count: int
    x: float
    y: float
    width: float
    height: float
    is_oldest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One queue's part of a band that is 100 wide."""

    queue: str
    count: int
    x: float
    width: float
    url: str


def age_bars(ages: Iterable[timedelta]) -> list[Bar]:
    """A histogram over the steps of AGE_STEPS, young to old; the oldest that is filled is marked.

    A step with one case among thousands still shows as a bar, an empty one as none.
    """
    counts = [0] * len(AGE_STEPS)
    for age in ages:
        counts[next(i for i, (_, limit) in enumerate(AGE_STEPS) if age < limit)] += 1
    return bars_of(counts)


def bars_of(counts: Sequence[int]) -> list[Bar]:
    """The bars for counts that are in the order of AGE_STEPS."""
    width = (CHART_WIDTH - BAR_GAP * (len(counts) - 1)) / len(counts)
    tallest = max(counts) or 1
    oldest = max((i for i, count in enumerate(counts) if count), default=-1)
    bars = []
    for index, ((word, _), count) in enumerate(zip(AGE_STEPS, counts, strict=True)):
        height = max(SMALLEST_BAR, CHART_HEIGHT * count / tallest) if count else 0.0
        bars.append(
            Bar(
                word=word,
                count=count,
                x=round(index * (width + BAR_GAP), 2),
                y=round(CHART_HEIGHT - height, 2),
                width=round(width, 2),
                height=round(height, 2),
                is_oldest=index == oldest,
            )
        )
    return bars


def band(counts: Mapping[str, int], urls: Mapping[str, str]) -> list[Segment]:
    """The counts as parts of a whole, in their order; a small part stays wide enough to be seen."""
    widths = {name: _share(count, sum(counts.values())) for name, count in counts.items()}
    scale = 100 / (sum(widths.values()) or 1)
    segments, x = [], 0.0
    for name, count in counts.items():
        width = widths[name] * scale
        segments.append(
            Segment(queue=name, count=count, x=round(x, 2), width=round(width, 2), url=urls[name])
        )
        x += width
    return segments


def _share(count: int, total: int) -> float:
    return max(SMALLEST_SEGMENT, 100 * count / total) if count else 0.0
