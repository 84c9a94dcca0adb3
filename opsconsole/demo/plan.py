"""Which stories are told, how often, how long ago, where and by whom."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from operations.protocol.states import Executor
from opsconsole.demo.cast import Cast
from opsconsole.demo.catalogue import Catalogue, Request
from opsconsole.demo.stories import questions, settled, unknown
from opsconsole.demo.story import Story

MINUTE, HOUR, DAY = 60, 3600, 86_400
SEED = "opsconsole demo 1"
FIRST_NUMBER = 2100


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`count` tellings of one story, begun between `youngest` and `oldest` seconds ago.

    `draw` names what is asked for; empty members of `at` mean "any of them".
    """

    tell: Callable[[Story], None]
    count: int
    youngest: float
    oldest: float
    draw: Callable[[Catalogue], Request] = Catalogue.any
    receiver: str = "sandbox"
    executor: Executor = Executor.AGENT
    environment: str = ""


AGENT, CONSOLE = Executor.AGENT, Executor.CONSOLE

SCENES = (
    Scene(tell=settled.answered, count=64, youngest=5 * MINUTE, oldest=35 * DAY),
    Scene(tell=settled.reply_lost, count=18, youngest=8 * MINUTE, oldest=30 * DAY),
    Scene(tell=settled.killed_while_waiting, count=14, youngest=6 * MINUTE, oldest=21 * DAY),
    Scene(tell=settled.committed_late, count=8, youngest=20 * MINUTE, oldest=14 * DAY),
    Scene(tell=settled.told_by_webhook, count=12, youngest=15 * MINUTE, oldest=20 * DAY),
    Scene(
        tell=settled.sent_by_console,
        count=34,
        youngest=4 * MINUTE,
        oldest=28 * DAY,
        executor=CONSOLE,
    ),
    Scene(
        tell=settled.sent_by_console_and_lost,
        count=10,
        youngest=12 * MINUTE,
        oldest=18 * DAY,
        executor=CONSOLE,
    ),
    Scene(
        tell=settled.reported, count=12, youngest=30 * MINUTE, oldest=26 * DAY, receiver="manual"
    ),
    Scene(tell=settled.refused, count=9, youngest=40 * MINUTE, oldest=25 * DAY),
    Scene(
        tell=settled.refused_to_console, count=4, youngest=HOUR, oldest=9 * DAY, executor=CONSOLE
    ),
    Scene(tell=unknown.nothing_found, count=5, youngest=4 * MINUTE, oldest=5 * HOUR),
    Scene(tell=unknown.nothing_found, count=1, youngest=3 * DAY, oldest=4 * DAY),
    Scene(tell=unknown.hidden, count=3, youngest=7 * MINUTE, oldest=9 * HOUR),
    Scene(
        tell=unknown.nothing_came_back,
        count=4,
        youngest=6 * MINUTE,
        oldest=30 * HOUR,
        receiver="manual",
        draw=Catalogue.order,
    ),
    Scene(tell=unknown.in_quarantine, count=2, youngest=4, oldest=9),
    Scene(
        tell=unknown.sent_by_console,
        count=2,
        youngest=9 * MINUTE,
        oldest=3 * HOUR,
        executor=CONSOLE,
    ),
    Scene(tell=unknown.pending, count=2, youngest=11 * MINUTE, oldest=2 * HOUR),
    Scene(
        tell=questions.other_payload,
        count=3,
        youngest=18 * MINUTE,
        oldest=2 * DAY,
        draw=Catalogue.order,
    ),
    Scene(tell=questions.late_receipt, count=2, youngest=2 * HOUR, oldest=6 * DAY),
    Scene(tell=questions.not_borne_out, count=2, youngest=35 * MINUTE, oldest=20 * HOUR),
    Scene(tell=questions.second_effect, count=1, youngest=3 * HOUR, oldest=8 * HOUR),
    Scene(tell=questions.called_duplicate, count=2, youngest=25 * MINUTE, oldest=7 * HOUR),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One story with everything drawn: the same in every seed."""

    tell: Callable[[Story], None]
    request: Request
    age: timedelta
    agent: str
    environment: str
    receiver: str
    executor: Executor

    def story(self, cast: Cast) -> Story:
        """The story, ready to be told."""
        return Story(
            cast=cast,
            request=self.request,
            age=self.age,
            agent=self.agent,
            environment=self.environment,
            receiver=self.receiver,
            executor=self.executor,
        )


def tellings() -> list[Telling]:
    """Every story, the oldest first, so that tokens and numbers grow with time as in real life."""
    draws = random.Random(SEED)  # noqa: S311 - a story, not a secret
    catalogue = Catalogue(seed=SEED, first_number=FIRST_NUMBER)
    drawn = [telling for scene in SCENES for telling in _drawn(scene, draws, catalogue)]
    return sorted(drawn, key=lambda telling: telling.age, reverse=True)


def _drawn(scene: Scene, draws: random.Random, catalogue: Catalogue) -> Iterator[Telling]:
    for number in range(scene.count):
        request = scene.draw(catalogue)
        yield Telling(
            tell=scene.tell,
            request=request,
            age=timedelta(seconds=_age(scene, number, draws)),
            agent="agent-1" if request.kind == "supplier.order" else "agent-2",
            environment=scene.environment or ("staging" if draws.random() < 0.2 else "production"),
            receiver=scene.receiver,
            executor=scene.executor,
        )


def _age(scene: Scene, number: int, draws: random.Random) -> float:
    """Evenly spread over the orders of magnitude: much is recent, some is old."""
    part = (number + draws.random()) / scene.count
    return math.exp(math.log(scene.youngest) * (1 - part) + math.log(scene.oldest) * part)
