"""Which errands come up: the first ones in a set order, then by chance."""

import random
from dataclasses import replace

from opsconsole.demo.agents.errand import Errand, Window
from opsconsole.demo.catalogue import Catalogue, Request

type Faults = dict[str, float | None]

HIDDEN: Faults = {"hide_lookup": None}
SLOW: Faults = {"answer_late": 5.0}
# So that somebody who has just started the demo meets each of them within a minute.
OPENING: tuple[tuple[Window | None, Faults], ...] = (
    (Window.BEFORE_ANSWER, HIDDEN | SLOW),
    (Window.BEFORE_CALL, {}),
    (Window.BEFORE_ANSWER, SLOW),
    (None, {"commit_late": 12.0}),
    (Window.BEFORE_REPORT, {}),
    (Window.BEFORE_MARK, {}),
    (None, {}),
    (None, HIDDEN | {"lose_reply": None}),
)
# Faults and how often each comes up among a hundred errands; the rest go well.
CHANCES: tuple[tuple[Faults, int], ...] = (
    ({}, 52),
    ({"lose_reply": None}, 9),
    ({"reset": None}, 5),
    ({"error_after_commit": None}, 4),
    ({"garbage_reply": None}, 3),
    ({"commit_late": 10.0}, 4),
    ({"answer_late": 3.0}, 4),
    ({"refuse": None}, 4),
    ({"pending": 25.0}, 2),
    ({"webhook_early": None}, 3),
    ({"webhook_late": 6.0, "lose_reply": None}, 3),
    ({"webhook_twice": None}, 2),
    ({"change_payload": None}, 1),
    ({"duplicate": None}, 1),
    (HIDDEN | {"lose_reply": None}, 3),
)
CRASHES_IN_A_HUNDRED = 22


class Drawing:
    """Draws errands without end. `first_number` keeps their keys apart from earlier starts'."""

    def __init__(self, *, seed: str, first_number: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a story, not a secret
        self._catalogue = Catalogue(seed=seed, first_number=first_number)
        self._count = 0

    def next(self, *, goes_well: bool = False) -> Errand:
        """The next errand; one that `goes_well` leaves nothing for people to settle."""
        if goes_well:
            return self._errand(self._catalogue.any())
        self._count += 1
        if self._count <= len(OPENING):
            dies, faults = OPENING[self._count - 1]
            errand = self._errand(self._catalogue.order())
            return replace(errand, dies=dies, faults=dict(faults))
        if self._count % 9 == 0:
            return self._large_refund()
        errand = self._errand(self._catalogue.any())
        if self._random.randrange(100) < CRASHES_IN_A_HUNDRED:
            return self._crashing(errand)
        faults = self._random.choices(
            [each for each, _ in CHANCES], [chance for _, chance in CHANCES]
        )[0]
        executor = self._random.choices(("agent", "console"), (3, 1))[0]
        return replace(errand, faults=dict(faults), executor=executor)

    def _crashing(self, errand: Errand) -> Errand:
        dies = self._random.choice(list(Window))
        faults: Faults = dict(SLOW) if dies is Window.BEFORE_ANSWER else {}
        if self._random.random() < 0.25:
            faults |= HIDDEN
        return replace(errand, dies=dies, faults=faults)

    def _large_refund(self) -> Errand:
        below = self._random.choice((400, 900, 2_400))
        refund = self._catalogue.refund(at_least=100, below=below)
        return replace(self._errand(refund), executor="console")

    def _errand(self, request: Request) -> Errand:
        return Errand(
            agent="agent-1" if request.kind == "supplier.order" else "agent-2",
            key=request.key,
            kind=request.kind,
            payload=request.payload,
            reference=request.reference,
            goal=request.goal,
            context=request.context,
            environment=self._random.choices(("production", "staging"), (5, 1))[0],
        )
