"""One agent process with several errands at a time: `python -m tests.campaigns.soak.agent JSON`.

It goes on until SIGTERM, or until it is killed in the middle of anything.
"""

import json
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reconciliation.sandbox.process import SandboxProcess
from tests.campaigns.soak.agents import SoakAgents
from tests.campaigns.soak.telling import Teller


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an agent knows of the site: where the console and the receiver are, and its tokens."""

    url: str
    tokens: dict[str, str]
    sandbox: SandboxProcess
    said: list[str] = field(default_factory=list)


class Telling(SoakAgents):
    """Tells each ending at once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._told = {"pending": 0, "faults": 0}

    def _place(self, console: Any, kind: str, key: str) -> None:
        self.witness.tell(began=key)  # type: ignore[attr-defined]
        try:
            super()._place(console, kind, key)
        finally:
            self.witness.tell(ended=key)  # type: ignore[attr-defined]

    def _resume(self, console: Any, key: str) -> None:
        super()._resume(console, key)
        self.witness.tell(ended=key)  # type: ignore[attr-defined]

    def _noting(self, kind: str, act: Any) -> None:
        super()._noting(kind, act)
        with self._lock:
            for name, known in (("pending", self.pending), ("faults", self.faults)):
                for each in known[self._told[name] :]:
                    self.witness.tell(**{name: each})  # type: ignore[attr-defined]
                self._told[name] = len(known)
            self.witness.tell(endings=dict(self.endings))  # type: ignore[attr-defined]
            self.endings.clear()


def main(argument: str) -> None:
    """Work in so many threads as there are names."""
    given = json.loads(argument)
    store = Path(given["folder"])
    sandbox = SandboxProcess(store, port=given["sandbox_port"])  # never started from here
    agents = Telling(
        Surroundings(given["url"], given["tokens"], sandbox),
        Teller(store / f"{given['life']}.jsonl"),
        seed=given["seed"],
        prefix=given["prefix"],
        pause_seconds=given["pause_seconds"],
    )
    signal.signal(signal.SIGTERM, lambda *_: agents.end())
    threads = []
    for number in range(given["threads"]):
        mine = given["mine"][number :: given["threads"]]
        work = {"name": f"{given['life']}-{number}", "mine": mine}
        threads.append(threading.Thread(target=agents.go_on, kwargs=work))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1])
