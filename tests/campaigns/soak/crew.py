"""The agent processes of the soak: started, killed, started again, and listened to."""

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsconsole.embedded import processes
from opsconsole.embedded.supervisor import Kept
from tests.campaigns.soak.agents import SoakAgents
from tests.campaigns.soak.site import SoakSite
from tests.campaigns.soak.telling import Listener, as_response
from tests.campaigns.surroundings.prepared import PROJECT
from tests.campaigns.surroundings.reader import Reader
from tests.campaigns.surroundings.site import Tended
from tests.campaigns.surroundings.witness import Witness

PREFIX = "soak"
PAUSE_SECONDS = 0.15
BACK_WITHIN_SECONDS = 1.0


@dataclass
class Crew:
    """So many processes of as many agents each. What they told is kept by `listen`."""

    site: SoakSite
    folder: Path
    seed: int
    size: int
    witness: Witness = field(default_factory=Witness)
    pending: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    lives: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self._listener = Listener(self.folder)
        self._open: set[str] = set()  # keys that somebody was about when they were killed
        self._supervisor = Tended(say=lambda _: None)

    def start(self) -> None:
        """Send all out."""
        for number in range(self.size):
            kept = Kept(
                name=f"agent {number}",
                launch=lambda number=number: self._launch(number),  # type: ignore[misc]
                process=self._launch(number),
                longest_wait_seconds=BACK_WITHIN_SECONDS,
            )
            self._supervisor.keep(kept)

    def tend(self) -> None:
        """Start again who was killed, after a second."""
        self._supervisor.look()

    def process(self, number: int) -> processes.Popen:
        """The process of one of them that runs now, or ran last."""
        return self._supervisor.kept[number % self.size].process

    def end(self) -> None:
        """Kill all, in the middle of whatever they do; none comes back."""
        for kept in self._supervisor.kept:
            kept.process.kill()
            kept.process.wait()
        self._supervisor.kept.clear()

    def listen(self) -> None:
        """Take in what they told since."""
        for told in self._listener.news():
            if "status" in told:
                self.witness.see(as_response(told))
            self.faults += [told["faults"]] if "faults" in told else []
            self.pending += [told["pending"]] if "pending" in told else []
            self.endings.update(told.get("endings", {}))
            self._open.update([told["began"]] if "began" in told else [])
            self._open.discard(told.get("ended", ""))

    def returned(self, reader: Reader) -> SoakAgents:
        """All of them once more, in this process, with what they had not told the console yet."""
        self.listen()
        agents = SoakAgents(self.site, self.witness, seed=self.seed, prefix=PREFIX)
        agents.pending, agents.faults = self.pending, self.faults + reader.faults
        agents.reader = reader
        agents.said_before = 0  # restarts are counted from the beginning
        return agents

    def _unfinished(self, number: int) -> list[str]:
        self.listen()
        return sorted(key for key in self._open if key.startswith(f"{PREFIX}-{number}-"))

    def _launch(self, number: int) -> processes.Popen:
        self.lives[number] += 1
        given = {
            "url": f"http://127.0.0.1:{self.site.to_agents.port}",
            "tokens": self.site.tokens,
            "sandbox_port": self.site.to_receiver.port,
            "folder": str(self.folder),
            "seed": self.seed,
            "prefix": PREFIX,
            "life": f"{number}-{self.lives[number]}",
            "threads": self.size,
            "pause_seconds": PAUSE_SECONDS,
            "mine": self._unfinished(number),
        }
        return processes.launch(
            [sys.executable, "-m", "tests.campaigns.soak.agent", json.dumps(given)],
            log=self.folder / f"agent-{number}.log",
            environment={"PYTHONPATH": str(PROJECT)},
            mark=self.folder,
        )
