"""Carries the schedule out: each kind of fault is really done to a process or a connection."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from signal import SIGCONT, SIGKILL, SIGSTOP

import psutil
import psycopg

from opsconsole.embedded import processes
from tests.campaigns.harness.proxy import Proxy
from tests.campaigns.soak.crew import Crew
from tests.campaigns.soak.schedule import Strike
from tests.campaigns.soak.site import SoakSite
from tests.campaigns.surroundings.echo import a_client

OURS = "SELECT pid FROM pg_stat_activity WHERE usename = 'ops_runtime' ORDER BY pid"
END = "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM unnest(%s::int[]) AS pid"
STEP_SECONDS, RETRY_SECONDS = 0.05, 0.3
AWAY_AT_MOST_SECONDS = 20


@dataclass
class Chaos:
    """What is broken at present, and how each of it is made whole again."""

    site: SoakSite
    crew: Crew
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._mending: list[tuple[float, Callable[[], object]]] = []
        self._receiver_is_away = False

    def strike(self, strike: Strike) -> None:
        """Wait for its gap to pass, and do it; a victim that is away just now is waited for."""
        self.pause(strike.gap)
        verb, _, whom = strike.kind.partition(" ")
        act = getattr(self, f"_{verb}")
        until = time.monotonic() + AWAY_AT_MOST_SECONDS
        while not (is_done := act(whom, strike)) and time.monotonic() < until:
            self.pause(RETRY_SECONDS)
        self.done[strike.kind] += is_done

    def pause(self, seconds: float) -> None:
        """Let time pass; what is due is mended, and what ended is started again."""
        until = time.monotonic() + seconds
        while True:
            self._mend(until=time.monotonic())
            self.site.tend()
            self.crew.tend()
            if time.monotonic() >= until:
                return
            time.sleep(STEP_SECONDS)

    def heal(self) -> None:
        """Everything that is broken is mended now."""
        self._mend(until=float("inf"))

    def _mend(self, *, until: float) -> None:
        due = [act for at, act in self._mending if at <= until]
        self._mending = [(at, act) for at, act in self._mending if at > until]
        for act in due:
            act()

    def _later(self, strike: Strike, act: Callable[[], object]) -> None:
        self._mending.append((time.monotonic() + strike.seconds, act))

    def _kill(self, whom: str, strike: Strike) -> bool:
        if whom == "PostgreSQL":
            killed = self.site.kill_postgres()
            self._later(strike, self._start_postgres)
            return killed > 1
        if whom == "the broker":
            is_alive = self._broker().poll() is None
            self.site.kill_broker()
            self._later(strike, self._start_broker)
            return is_alive
        if whom == "the receiver":
            self.site.sandbox.kill()
            self._receiver_is_away = True
            self._later(strike, self._start_receiver)
            return True
        if whom.startswith("a child of "):
            return _kill_one(_children(self.site.process(whom.split()[-1])), strike)
        return _signal([self._process(whom, strike)], SIGKILL)

    def _stop(self, whom: str, strike: Strike) -> bool:
        if whom == "the receiver":
            self.site.sandbox.pause()
            self._later(strike, self.site.sandbox.go_on)
            return not self._receiver_is_away
        process = self._process(whom, strike)
        family = [process, *_children(process)]
        self._later(strike, lambda: _signal(family, SIGCONT))
        return _signal(family, SIGSTOP)

    def _end(self, which: str, strike: Strike) -> bool:
        """Sessions of the console, in whatever they are doing."""
        with suppress(psycopg.OperationalError), self.site.superuser() as connection:
            pids = [pid for (pid,) in connection.execute(OURS)]
            first = int(strike.pick * len(pids))
            chosen = pids if which == "all sessions" else pids[first : first + 3]
            ended = connection.execute(END, [chosen]).fetchone()
            return bool(ended and ended[0])
        return False  # there is no database at present, so there are no sessions

    def _flush(self, whom: str, strike: Strike) -> bool:
        if self._broker().poll() is not None:
            return False
        with a_client(self.site.record.broker_url) as client:
            client.flushall()
        return True

    def _reset(self, whose: str, strike: Strike) -> bool:
        self._relay(whose.removesuffix("'s connections").removesuffix("' connections")).reset()
        return True

    def _cut(self, whom: str, strike: Strike) -> bool:
        relay = self._relay(whom.removeprefix("off "))
        relay.cut()
        self._later(strike, relay.mend)
        return True

    def _relay(self, whose: str) -> Proxy:
        return {
            "the database": self.site.to_database,
            "the agents": self.site.to_agents,
            "the receiver": self.site.to_receiver,
        }[whose]

    def _process(self, whom: str, strike: Strike) -> processes.Popen:
        if whom == "an agent":
            return self.crew.process(int(strike.pick * 1000))
        return self.site.process("postgres" if whom == "PostgreSQL" else whom)

    def _broker(self) -> processes.Popen:
        assert self.site.services.valkey is not None
        return self.site.services.valkey

    def _start_postgres(self) -> None:
        if self.site.process("postgres").poll() is not None:
            self.site.start_postgres()

    def _start_receiver(self) -> None:
        self.site.sandbox.restart()
        self._receiver_is_away = False

    def _start_broker(self) -> None:
        if self._broker().poll() is not None:
            self.site.start_broker()


def _children(process: processes.Popen) -> list[psutil.Process]:
    try:
        found: list[psutil.Process] = psutil.Process(process.pid).children(recursive=True)
        return found
    except psutil.NoSuchProcess:
        return []


def _kill_one(family: list[psutil.Process], strike: Strike) -> bool:
    return bool(family) and _signal([family[int(strike.pick * len(family))]], SIGKILL)


def _signal(family: Iterable[processes.Popen | psutil.Process], number: int) -> bool:
    """Whether it reached the first of them. An ended child of ours is a zombie, and reached by
    nothing; its pid is not another's before we wait for it."""
    reached = [_signal_one(each, number) for each in family]
    return bool(reached) and reached[0]


def _signal_one(process: processes.Popen | psutil.Process, number: int) -> bool:
    if isinstance(process, psutil.Process):
        if not process.is_running():  # also when its pid is another's now
            return False
    elif process.poll() is not None:
        return False
    with suppress(ProcessLookupError):
        os.kill(process.pid, number)
        return True
    return False
