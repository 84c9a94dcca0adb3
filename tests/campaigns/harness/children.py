"""Forked processes that run one act of the product and may be killed at any moment of it."""

import ctypes
import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from django.db import connections

LONGEST_SECONDS = 60.0
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnd:
    """How a child ended: by a signal, or with a code and what its act returned (JSON).

    `words` is the traceback of an act that raised (code 1).
    """

    signal: int | None
    code: int | None
    value: Any = None
    words: str = ""

    @property
    def was_killed(self) -> bool:
        """Whether SIGKILL ended it."""
        return self.signal == signal.SIGKILL


class Child:
    """A forked process. Its act has database connections of its own; `end` waits for it."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reading)
            _be_the_child(act, writing)
        os.close(writing)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it."""
        os.kill(self.pid, number)

    def wait_until_stopped(self) -> bool:
        """Wait until SIGSTOP holds it; False when it ended instead, which `end` then tells."""
        flags = os.WSTOPPED | os.WEXITED | os.WNOWAIT
        info = os.waitid(os.P_PID, self.pid, flags)
        return info is not None and info.si_code == os.CLD_STOPPED

    def end(self, *, within_seconds: float = LONGEST_SECONDS) -> ChildEnd:
        """Wait for its end; one that takes longer is killed, and that raises TimeoutError."""
        said = self._read(time.monotonic() + within_seconds)
        is_late = said is None
        if is_late:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self._reading)
        if is_late:
            raise TimeoutError(f"a child did not end within {within_seconds:g} s")
        if os.WIFSIGNALED(status):
            return ChildEnd(signal=os.WTERMSIG(status), code=None)
        told = json.loads(said or b"{}")
        return ChildEnd(
            signal=None,
            code=os.WEXITSTATUS(status),
            value=told.get("value"),
            words=told.get("words", ""),
        )

    def _read(self, until: float) -> bytes | None:
        """All that it wrote before it ended; None when it did not end in time."""
        said = b""
        while True:
            ready, _, _ = select.select([self._reading], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            chunk = os.read(self._reading, 65536)
            if not chunk:
                return said
            said += chunk


def end_with_parent(sent: signal.Signals = signal.SIGKILL) -> None:
    """From now on this process gets this signal when the thread that started it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, sent)


# What the parent is connected with: kept here, so that nothing ever closes it.
_parents: list[object] = []


def _leave_the_parents_connections() -> None:
    """Two processes on one connection would garble it, and its server would hear a farewell.

    The parent keeps its own, warm: a new one for each child would cost more than most children.
    """
    for connection in connections.all(initialized_only=True):
        _parents.append(connection.connection)
        connection.connection = None


def _be_the_child(act: Callable[[], Any], writing: int) -> NoReturn:
    """Never returns into the parent's code, whatever happens, and ends when the parent does."""
    code = 1
    try:
        end_with_parent()
        _leave_the_parents_connections()
        told = {"value": act()}
        code = 0
    except BaseException:
        told = {"words": traceback.format_exc()}
    try:
        os.write(writing, json.dumps(told, default=str).encode())
    finally:
        os._exit(code)
