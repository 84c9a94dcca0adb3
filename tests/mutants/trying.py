"""One mutant, tried in a forked process of its own; nothing is written into the tree."""

import gc
import importlib.abc
import importlib.util
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from importlib.machinery import ModuleSpec
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from types import ModuleType

# What the protocol and its tests import; imported once, so that every fork has it.
import babel.core  # noqa: F401
import jsonschema.validators  # noqa: F401
import pytest
from hypothesis import HealthCheck, settings

from tests.mutants.making import Mutant

HERE = Path(__file__).parent
CPU_SECONDS = 30  # the whole of the protocol's tests takes three
MEMORY_BYTES = 2 * 1024**3
WALL_SECONDS = 600
KILLED = 70  # an exit code of our own, so that a fault in here is never taken for a kill


class End(StrEnum):
    """How a trial ended."""

    KILLED = "killed"
    SURVIVED = "survived"


def trials(
    mutants: Sequence[Mutant],
    stages: Sequence[Sequence[str]],
    *,
    jobs: int,
    is_over: Callable[[], bool],
) -> Iterator[tuple[Mutant, End]]:
    """Each mutant with its end, until all are tried or the time is over.

    `stages` are lists of test files, tried one after the other while the mutant lives.
    """
    waiting, running = list(reversed(mutants)), {}
    gc.freeze()  # what is imported so far is not looked through again in every fork
    while running or (waiting and not is_over()):
        while waiting and len(running) < jobs and not is_over():
            mutant = waiting.pop()
            child = get_context("fork").Process(target=_try, args=(mutant, stages))
            child.start()
            running[child.sentinel] = (mutant, child, monotonic())
        for sentinel in connection.wait(running, timeout=1):
            mutant, child, _ = running.pop(sentinel)
            child.join()
            yield mutant, _end_of(child, mutant)
        for _, child, started in running.values():
            if monotonic() - started > WALL_SECONDS:
                child.kill()


def _end_of(child: BaseProcess, mutant: Mutant) -> End:
    if child.exitcode == 0:
        return End.SURVIVED
    is_ended_by_signal = child.exitcode < 0  # it ran out of CPU time, or for ever
    if child.exitcode == KILLED or is_ended_by_signal:
        return End.KILLED
    raise SystemExit(f"The tests could not be run against {mutant.identity}.")


def _try(mutant: Mutant, stages: Sequence[Sequence[str]]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends what is running
    _silence()
    sys.meta_path.insert(0, _Overlay(mutant))
    for files in stages:
        ended = pytest.main(["-c", str(HERE / "pytest.ini"), *files], plugins=[_Steady()])
        if ended in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            os._exit(ended)
        if ended != pytest.ExitCode.OK:
            os._exit(KILLED)
    os._exit(0)


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


class _Steady:
    """The same examples in every run and on every machine, and no clock that decides."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        settings.register_profile(
            "mutants",
            max_examples=15,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")


class _Overlay(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant's source for its module, and leaves the others alone."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._mutant.source, self._mutant.module, "exec"), module.__dict__)
