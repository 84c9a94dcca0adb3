"""Keeps processes running: starts them in order, restarts the crashed, stops all in reverse."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from opsconsole.embedded import processes

LOOK_EVERY_SECONDS = 0.2
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
# A process that ran this long had recovered: its next crash counts as the first again.
STEADY_AFTER_SECONDS = 60.0


class StopRequested(BaseException):
    """Ctrl-C or SIGTERM. No Exception: nothing on the way may take it for an error."""


@dataclass(slots=True, kw_only=True)
class Kept:
    """One process that is to be running, and what is known of its crashes.

    Those of one `stage` are stopped together, the highest first.
    """

    name: str
    launch: Callable[[], processes.Popen]
    process: processes.Popen
    stop_signal: signal.Signals = signal.SIGTERM
    stop_within_seconds: float = 5.0
    stage: int = 0
    started_at: float = 0.0
    wait_seconds: float = FIRST_WAIT_SECONDS
    longest_wait_seconds: float = LONGEST_WAIT_SECONDS
    start_again_at: float | None = None


class Supervisor:
    """Runs on the main thread; `say` prints one line for a person."""

    def __init__(self, *, say: Callable[[str], None]) -> None:
        self.say = say
        self.kept: list[Kept] = []

    def keep(self, kept: Kept) -> None:
        """Take over a process that was just started."""
        kept.started_at = time.monotonic()
        self.kept.append(kept)

    def watch(self) -> None:
        """Restart what ends, until a signal raises StopRequested."""
        while True:
            for kept in self.kept:
                self._look_at(kept)
            time.sleep(LOOK_EVERY_SECONDS)

    def stop_all(self) -> None:
        """Stop stage by stage, the last started first, each within its bound with its group."""
        self.kept.sort(key=lambda kept: kept.stage)
        while self.kept:
            stage = [kept for kept in reversed(self.kept) if kept.stage == self.kept[-1].stage]
            for kept in stage:
                processes.ask_to_end(kept.process, kept.stop_signal)
            for kept in stage:
                self._await_end(kept)
            del self.kept[-len(stage) :]

    def _await_end(self, kept: Kept) -> None:
        if not processes.ended(kept.process, within_seconds=kept.stop_within_seconds):
            self.say(f"{kept.name} did not end within {kept.stop_within_seconds:g} s: killed.")

    def _look_at(self, kept: Kept) -> None:
        now = time.monotonic()
        if kept.start_again_at is not None:
            if now >= kept.start_again_at:
                self._start_again(kept, now)
        elif kept.process.poll() is not None:
            self._plan_restart(kept, now)

    def _plan_restart(self, kept: Kept, now: float) -> None:
        processes.kill_group(kept.process.pid)  # what it left behind may hold its port
        if now - kept.started_at > STEADY_AFTER_SECONDS:
            kept.wait_seconds = FIRST_WAIT_SECONDS
        kept.start_again_at = now + kept.wait_seconds
        self.say(
            f"{kept.name} ended ({_how(kept.process.returncode)}); "
            f"starting it again in {kept.wait_seconds:g} s."
        )
        kept.wait_seconds = min(kept.wait_seconds * 2, kept.longest_wait_seconds)

    def _start_again(self, kept: Kept, now: float) -> None:
        kept.process = kept.launch()
        kept.started_at = now
        kept.start_again_at = None
        self.say(f"{kept.name} is running again as process {kept.process.pid}.")


def stop_on_signals() -> None:
    """Make the first Ctrl-C, SIGTERM or SIGHUP raise StopRequested; later ones change nothing."""

    def stop(number: int, frame: object) -> None:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise StopRequested

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)


def _how(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
