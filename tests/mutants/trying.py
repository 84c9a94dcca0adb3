"""Mutants are tried in forked processes; nothing is written into the tree.

A fault inside a function is planted into tests that are collected already, which is quick. One in
a table or a constant needs the module imported anew, and so does the last word on a survivor:
what a test module computed while it was imported may have hidden the fault.
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import zip_longest
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from pathlib import Path

# What the protocol and its tests import; imported once, so that every fork has it.
import babel.core  # noqa: F401
import jsonschema.validators  # noqa: F401
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.mutants.making import Mutant
from tests.mutants.planting import Overlay, swap_functions

HERE = Path(__file__).parent
CPU_SECONDS = 30  # the whole of the protocol's tests takes three
MEMORY_BYTES = 2 * 1024**3
# Exit codes of our own, so that a fault in here is never taken for a kill.
KILLED, BROKEN = 70, 71


class End(StrEnum):
    """How a trial ended."""

    KILLED = "killed"
    SURVIVED = "survived"


type Tell = Callable[[int, int], None]
type Job = Callable[[Sequence[Mutant], Sequence[int], Sequence[str], Tell], None]


def trials(
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    *,
    jobs: int,
    is_over: Callable[[], bool],
) -> Iterator[tuple[Mutant, End]]:
    """Each mutant with its end, until all are tried or the time is over.

    `tests` are files, those first that should notice. Raises SystemExit when a mutant could not
    be tried, or when the tests fail without any.
    """
    gc.freeze()  # what is imported so far is not looked through again in every fork
    anew = [mutant for mutant in mutants if not mutant.is_in_function]
    quick = [mutant for mutant in mutants if mutant.is_in_function]
    for mutant, end in _shared_out(quick, tests, _quickly, jobs, is_over):
        if end is End.SURVIVED:
            anew.append(mutant)
        else:
            yield mutant, end
    yield from _shared_out(anew, tests, _anew, jobs, is_over)


def _shared_out(
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    job: Job,
    jobs: int,
    is_over: Callable[[], bool],
) -> Iterator[tuple[Mutant, End]]:
    context, running = get_context("fork"), {}
    for number in range(min(jobs, len(mutants))):
        reader, writer = context.Pipe(duplex=False)
        share = range(number, len(mutants), jobs)
        process = context.Process(target=_work, args=(job, mutants, share, tests, is_over, writer))
        process.start()
        writer.close()
        running[reader] = process
    while running:
        for reader in connection.wait(running):
            try:
                index, status = reader.recv()
            except EOFError:
                process = running.pop(reader)
                process.join()
                if process.exitcode:
                    raise SystemExit(f"The tests fail without any mutant: {tests}") from None
            else:
                yield mutants[index], _end_of(status, mutants[index])


def _end_of(status: int, mutant: Mutant) -> End:
    if os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == KILLED:
        return End.KILLED  # by a signal: it ran out of CPU time, or for ever
    if status == 0:
        return End.SURVIVED
    raise SystemExit(f"The tests could not be run against {mutant.identity}.")


def _work(
    job: Job,
    mutants: Sequence[Mutant],
    share: Sequence[int],
    tests: Sequence[str],
    is_over: Callable[[], bool],
    writer: Connection,
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)

    def tell(index: int, status: int) -> None:
        writer.send((index, status))

    job(mutants, _until(is_over, share), tests, tell)


def _until(is_over: Callable[[], bool], share: Sequence[int]) -> Iterator[int]:
    for index in share:
        if is_over():
            return
        yield index


def _anew(
    mutants: Sequence[Mutant], share: Iterator[int], tests: Sequence[str], tell: Tell
) -> None:
    """Each mutant in a process that imports everything of ours for itself."""

    def fresh(mutant: Mutant | None) -> int:
        if mutant:
            sys.meta_path.insert(0, Overlay(mutant))
        return _pytest(tests)

    _must_pass(_in_fork(lambda: fresh(None)))
    for index in share:
        tell(index, _in_fork(lambda mutant=mutants[index]: fresh(mutant)))


def _quickly(
    mutants: Sequence[Mutant], share: Iterator[int], tests: Sequence[str], tell: Tell
) -> None:
    """Each mutant in a fork of one process that has collected the tests."""

    class Loop:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            gc.freeze()
            _must_pass(_in_fork(lambda: _run(session, None)))
            for index in share:
                tell(index, _in_fork(lambda mutant=mutants[index]: _run(session, mutant)))
            return True

    _pytest(tests, Loop())


def _run(session: pytest.Session, mutant: Mutant | None) -> int:
    if mutant and not swap_functions(mutant):
        return pytest.ExitCode.OK  # not noticed yet: it is tried anew
    for item, following in zip_longest(session.items, session.items[1:]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return pytest.ExitCode.TESTS_FAILED
    return pytest.ExitCode.OK if session.items else pytest.ExitCode.NO_TESTS_COLLECTED


def _pytest(tests: Sequence[str], *plugins: object) -> int:
    return pytest.main(["-c", str(HERE / "trials.ini"), *tests], plugins=[_Steady(), *plugins])


def _in_fork(act: Callable[[], int]) -> int:
    """The wait status of a child that ran the tests: 0, KILLED, a signal, or a broken harness."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        try:
            ended = act()
        except BaseException:
            os._exit(BROKEN)
        is_broken = ended in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
        os._exit(BROKEN if is_broken else KILLED if ended != pytest.ExitCode.OK else 0)
    return os.waitpid(child, 0)[1]


def _must_pass(status: int) -> None:
    if status != 0:
        os._exit(BROKEN)


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

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests that draw examples last, for they take longest."""
        items.sort(key=lambda item: is_hypothesis_test(getattr(item, "obj", None)))
