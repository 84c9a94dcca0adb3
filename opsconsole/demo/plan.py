"""The seeded history as a list of stories, with everything drawn: the same in every seed."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from operations.protocol.states import Executor
from opsconsole.demo.cast import Cast
from opsconsole.demo.catalogue import Catalogue, Request
from opsconsole.demo.scenes import SCENES, Scene
from opsconsole.demo.story import Story

SEED = "opsconsole demo 1"
FIRST_NUMBER = 2100


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
