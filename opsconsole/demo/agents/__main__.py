"""`python -m opsconsole.demo.agents`: send agents out, one every few seconds, until stopped."""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import BoundedSemaphore

from opsconsole.client import ApiProblem
from opsconsole.demo.agents.drawing import OPENING, Drawing
from opsconsole.demo.agents.errands import Errands
from opsconsole.demo.agents.places import Books
from opsconsole.demo.record import DemoRecord
from opsconsole.embedded.directory import DataDirectory

# At first somebody watches; after a while the demo has shown what it can and takes its time.
FIRST_PAUSE_SECONDS = 1.5
PAUSE_SECONDS = 5.0
LATER_PAUSE_SECONDS = 20.0
BUSY_COUNT = 120
# So many unknowns are enough for the people; until they settle some, what comes goes well.
MOST_WAITING = 40
# A demo that is left alone stops here.
MOST_ERRANDS = 3_000
# Each waits for its process; the last ones to crash wait the longest.
AT_ONCE = 6


def main() -> None:
    """Read demo.json of OPSCONSOLE_DATA, and go on until there was enough of it."""
    root = Path(os.environ.get("OPSCONSOLE_DATA", ".data")).absolute()
    demo_json = DataDirectory(root).demo_record
    books = Books(DemoRecord.load(demo_json))
    while not books.is_ready():
        time.sleep(0.5)
    drawing = Drawing(seed=str(time.time_ns()), first_number=first_number())
    errands = Errands(demo_json=demo_json, books=books, say=say)
    free = BoundedSemaphore(AT_ONCE)
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        for count in range(MOST_ERRANDS):
            errand = drawing.next(goes_well=count >= len(OPENING) and is_full(books))
            free.acquire()
            pool.submit(errands.carry_out, errand).add_done_callback(lambda _: free.release())
            time.sleep(pause_seconds(count))
    say("That was the last errand; start the demo again for more.")
    signal.pause()  # were this process to end, it would be started again


def first_number() -> int:
    """Numbers keys by the clock, in steps of 2 s, so that no start uses those of an earlier one."""
    return int(time.time() / 2) % 10_000_000


def is_full(books: Books) -> bool:
    """Whether enough unknowns wait for people, or the console can't be asked."""
    try:
        return books.waiting_count() >= MOST_WAITING
    except ApiProblem as problem:
        say(f"the console can't be asked: {problem}")
        return True


def pause_seconds(count: int) -> float:
    """How long to wait after as many errands."""
    if count < len(OPENING):
        return FIRST_PAUSE_SECONDS
    return PAUSE_SECONDS if count < BUSY_COUNT else LATER_PAUSE_SECONDS


def say(line: str) -> None:
    """One line with the time."""
    sys.stdout.write(f"{datetime.now(UTC):%H:%M:%S}  {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
