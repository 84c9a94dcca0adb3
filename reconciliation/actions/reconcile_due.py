"""What is due at one receiver is looked up, many at a time: take, ask, write down (rules 5, 9).

The same protocol as for one: each operation has a claim and a token of its own, and a lookup, an
entry and a judgement of its own. Only the transactions are shared.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from datetime import datetime

from operations.actions.lend_connection import lend_connection
from operations.actors import Actor
from operations.receivers.base import ReceiverConfig
from reconciliation.actions.ask_receiver import Asking, ask_receiver
from reconciliation.actions.lookup_row import Asked
from reconciliation.actions.record_lookups import Answer, record_lookups
from reconciliation.actions.take_due import Taken, take_due

# So many threads ask in one worker process, of a receiver that takes as many at once.
AT_ONCE = 32
# After this long it is another receiver's turn; a sweep says again what is still due.
TURN_SECONDS = 1.0
# Answers that come together are written together.
GATHER_SECONDS = 0.03


def reconcile_due(*, config: ReceiverConfig, holder: str) -> int:
    """Look up what is due at a receiver until nothing is, or the turn is over; how many it asked.

    It never sends. Run in many places at once, each takes others.
    """
    actor = Actor.system("reconciler")
    ends_at = time.monotonic() + TURN_SECONDS
    count = 0
    while True:
        taken = take_due(config=config, holder=holder, actor=actor, limit=AT_ONCE)
        _look_up(taken, config, actor)
        count += len(taken.askings)
        left = ends_at - time.monotonic()
        if left <= 0 or (not taken.askings and not 0 <= (taken.wait_seconds or -1) < left):
            return count
        if not taken.askings:
            time.sleep(taken.wait_seconds or 0)


def _look_up(taken: Taken, config: ReceiverConfig, actor: Actor) -> None:
    if not taken.askings:
        return
    assert taken.taken_at is not None
    lend_connection()
    for answers in _answers(taken.askings, taken.taken_at, taken.spacing_seconds):
        record_lookups(answers=answers, config=config, actor=actor)
        lend_connection()


def _answers(
    askings: Sequence[Asking], asked_at: datetime, spacing_seconds: float
) -> Iterator[Sequence[Answer]]:
    """The answers as they come, in groups. Each is asked at `asked_at` or a little after it."""

    def ask(asking: Asking, delay_seconds: float) -> Answer:
        time.sleep(delay_seconds)
        operation = asking.operation
        asked = Asked(
            operation_id=operation.pk,
            generation=operation.generation,
            token=asking.token,
            asked_at=asked_at,
        )
        return Answer(asked, ask_receiver(asking))

    with ThreadPoolExecutor(max_workers=len(askings), thread_name_prefix="lookup") as pool:
        pending = {
            pool.submit(ask, asking, number * spacing_seconds)
            for number, asking in enumerate(askings)
        }
        while pending:
            wait(pending, return_when=FIRST_COMPLETED)
            time.sleep(GATHER_SECONDS)
            done = {future for future in pending if future.done()}
            pending -= done
            yield [future.result() for future in done]
