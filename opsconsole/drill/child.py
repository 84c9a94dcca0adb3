"""A process that a drill starts, talks with line by line, pauses and kills."""

import json
import queue
import shutil
import subprocess
import sys
from collections import deque
from contextlib import suppress
from signal import SIGCONT, SIGKILL, SIGSTOP
from threading import Thread
from typing import Any

from opsconsole.drill.failing import Failed

LAST_LINES = 20


class Child:
    """One child. What it says is read by threads, so that no wait for it is without an end.

    The kernel kills it when the thread that started it ends: a drill that is killed leaves none
    behind, not even one that is paused and would never notice.
    """

    def __init__(self, module: str, given: dict[str, Any]) -> None:
        self._name = module.rpartition(".")[2]
        setpriv = shutil.which("setpriv")
        follow = [setpriv, "--pdeathsig=KILL", "--"] if setpriv else []
        self._process = subprocess.Popen(
            [*follow, sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._log: deque[str] = deque(maxlen=LAST_LINES)
        self._readers = [Thread(target=each, daemon=True) for each in (self._read, self._follow)]
        for reader in self._readers:
            reader.start()
        self.tell(given)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it is over, however it ended."""
        return self._process.poll() is not None

    def tell(self, words: dict[str, Any]) -> None:
        """Write one line to it. Raises Failed when it is gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{json.dumps(words)}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Failed(f"The {self._name} process can't be told anything: {error}.") from None

    def answer(self, within_seconds: float) -> dict[str, Any]:
        """Its next line. Raises Failed when none comes, with what it printed instead."""
        try:
            line = self._lines.get(timeout=max(0.0, within_seconds))
        except queue.Empty:
            raise Failed(f"The {self._name} process did not answer in time.") from None
        if line is None:
            raise Failed(
                f"The {self._name} process ended ({self._ending()}) without an answer: "
                f"{self.words()}"
            )
        found: dict[str, Any] = json.loads(line)
        return found

    def was_killed(self, within_seconds: float) -> bool:
        """Wait for its end; whether it was SIGKILL. Raises Failed when it does not end."""
        try:
            return self._process.wait(timeout=max(0.0, within_seconds)) == -SIGKILL
        except subprocess.TimeoutExpired:
            raise Failed(f"The {self._name} process did not end in time.") from None

    def words(self) -> str:
        """The last thing it said or logged, of a traceback its error; nothing is said so."""
        for reader in self._readers:
            reader.join(timeout=2)
        said = [*self._log]
        while not self._lines.empty():
            said.append(self._lines.get_nowait() or "")
        return next((line.strip() for line in reversed(said) if line.strip()), "nothing")[:300]

    def pause(self) -> None:
        """SIGSTOP: it sleeps, and knows nothing of it."""
        self._process.send_signal(SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._process.send_signal(SIGCONT)

    def kill(self) -> None:
        """SIGKILL, also while it is paused; nothing happens to one that is over."""
        self._process.kill()

    def close(self) -> None:
        """End it in any case and close its pipes."""
        self.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(timeout=5)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):  # what it was told last, and never read
                    pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _follow(self) -> None:
        assert self._process.stderr is not None
        self._log.extend(self._process.stderr)

    def _ending(self) -> str:
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "its output is closed"
        return f"signal {-code}" if code < 0 else f"exit code {code}"
