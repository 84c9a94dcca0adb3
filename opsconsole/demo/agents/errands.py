"""One errand from its first run to its last: arm, start, perhaps kill, start again."""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIGKILL

import httpx

from opsconsole.demo.agents.errand import Errand, Window
from opsconsole.demo.agents.places import Books

LOOK_EVERY_SECONDS = 0.05
# Longer than any run waits for a settlement and for its own old claim.
RUN_SECONDS = 120.0
REST_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Errands:
    """Carries errands out; `say` prints one line for whoever reads the log."""

    demo_json: Path
    books: Books
    say: Callable[[str], None]

    def carry_out(self, errand: Errand) -> None:
        """All runs of one errand; the later ones have the same key and do not crash."""
        try:
            self._carry_out(errand)
        except (httpx.HTTPError, OSError) as error:
            self.say(f"{errand.key}  not carried out: {type(error).__name__} {error}")

    def _carry_out(self, errand: Errand) -> None:
        self.books.arm(errand)
        process = self._start(errand)
        if errand.dies is Window.BEFORE_ANSWER:
            self._kill_once_committed(process, errand)
        ending = _ending(process)
        if process.returncode != -SIGKILL:
            self.say(f"{errand.key}  {ending}")
            return
        self.say(f"{errand.key}  process {process.pid} killed with SIGKILL {errand.dies}")
        time.sleep(REST_SECONDS)
        ending = _ending(self._start(replace(errand, dies=None)))
        self.say(f"{errand.key}  the next run, with the same key: {ending}")

    def _start(self, errand: Errand) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "opsconsole.demo.agents.run"]
        return subprocess.Popen(
            [*command, str(self.demo_json), errand.as_argument()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _kill_once_committed(self, process: "subprocess.Popen[str]", errand: Errand) -> None:
        """SIGKILL while the receiver, which has made the effect, holds its answer back."""
        while process.poll() is None:
            if self.books.effects(errand):
                process.kill()
                return
            time.sleep(LOOK_EVERY_SECONDS)


def _ending(process: "subprocess.Popen[str]") -> str:
    """The last line that the process printed, once it is over."""
    try:
        output, _ = process.communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return output.strip().rpartition("\n")[2]
