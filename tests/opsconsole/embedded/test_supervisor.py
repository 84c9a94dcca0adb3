"""The supervisor keeps processes running and leaves none behind."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from opsconsole.embedded import processes, supervisor
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.orphans import end_orphans
from opsconsole.embedded.supervisor import Kept, Supervisor

IGNORES_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
LEAVES_A_CHILD = (
    "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); "
    "sys.stdin.close(); import time; time.sleep(60)"
)

TAKES_A_TITLE = (
    "import time; from setproctitle import setproctitle; "
    "setproctitle('a long title ' * 400); print('titled', flush=True); time.sleep(60)"
)


@pytest.fixture
def lines():
    return []


@pytest.fixture
def keeper(lines):
    keeper = Supervisor(say=lines.append)
    yield keeper
    keeper.stop_all()


def keep(keeper, tmp_path, *command, name="child", **options) -> Kept:
    def launch():
        return processes.launch(list(command), log=tmp_path / f"{name}.log", mark=tmp_path)

    kept = Kept(name=name, launch=launch, process=launch(), **options)
    keeper.keep(kept)
    return kept


def test_a_crashed_process_is_started_again_after_a_growing_wait(
    keeper, tmp_path, lines, monkeypatch
):
    monkeypatch.setattr(supervisor, "FIRST_WAIT_SECONDS", 0.01)
    kept = keep(keeper, tmp_path, "sh", "-c", "exit 3", name="worker", wait_seconds=0.01)
    kept.process.wait()
    keeper._look_at(kept)
    assert lines == ["worker ended (exit code 3); starting it again in 0.01 s."]
    assert kept.wait_seconds == 0.02
    time.sleep(0.02)
    keeper._look_at(kept)
    assert lines[1] == f"worker is running again as process {kept.process.pid}."


def test_the_wait_has_a_longest_and_forgets_after_a_steady_run(keeper, tmp_path):
    kept = keep(keeper, tmp_path, "false", wait_seconds=25.0)
    kept.process.wait()
    keeper._look_at(kept)
    assert kept.wait_seconds == supervisor.LONGEST_WAIT_SECONDS
    kept.start_again_at = None
    kept.started_at -= supervisor.STEADY_AFTER_SECONDS + 1
    keeper._look_at(kept)
    assert kept.wait_seconds == 2 * supervisor.FIRST_WAIT_SECONDS


def test_a_server_that_all_else_waits_for_is_tried_again_sooner(keeper, tmp_path):
    kept = keep(keeper, tmp_path, "false", wait_seconds=3.0, longest_wait_seconds=4.0)
    kept.process.wait()
    keeper._look_at(kept)
    assert kept.wait_seconds == 4.0


def test_the_line_names_the_signal(keeper, tmp_path, lines):
    kept = keep(keeper, tmp_path, "sleep", "60", name="beat")
    kept.process.kill()
    kept.process.wait()
    keeper._look_at(kept)
    assert lines == ["beat ended (killed by SIGKILL); starting it again in 1 s."]


def test_stopping_goes_backwards_and_kills_who_does_not_listen(keeper, tmp_path, lines):
    first = keep(keeper, tmp_path, "sleep", "60", name="first")
    deaf = keep(
        keeper, tmp_path, sys.executable, "-c", IGNORES_TERM, name="deaf", stop_within_seconds=1.0
    )
    while "SigIgn" not in _status(deaf.process.pid) or not _ignores_term(deaf.process.pid):
        time.sleep(0.01)
    keeper.stop_all()
    assert deaf.process.returncode == -signal.SIGKILL
    assert first.process.returncode == -signal.SIGTERM
    assert lines == ["deaf did not end within 1 s: killed."]


def test_a_later_stage_ends_before_an_earlier_one_is_asked(keeper, tmp_path):
    server = keep(keeper, tmp_path, "sleep", "60", name="server")
    script = f"trap 'kill -0 {server.process.pid} && echo server was there; exit' TERM; echo up; "
    keep(keeper, tmp_path, "sh", "-c", script + "while :; do sleep 0.02; done", stage=2)
    log = tmp_path / "child.log"
    while "up" not in log.read_text():
        time.sleep(0.01)
    keeper.stop_all()
    assert "server was there" in log.read_text()
    assert server.process.returncode == -signal.SIGTERM


def test_what_a_process_left_in_its_group_ends_with_it(keeper, tmp_path):
    keep(keeper, tmp_path, sys.executable, "-c", LEAVES_A_CHILD, name="parent")
    log = tmp_path / "parent.log"
    while not log.read_text().endswith("\n"):
        time.sleep(0.01)
    keeper.stop_all()
    assert _ended_soon(int(log.read_text()))


def test_a_process_dies_with_a_supervisor_that_was_killed(tmp_path):
    starter = (
        "import sys, time; from pathlib import Path; from opsconsole.embedded import processes;"
        "p = processes.launch(['sleep', '60'], log=Path(sys.argv[1]), mark=Path('/nowhere'));"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", starter, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        child = int(started.stdout.readline())
        while psutil.Process(child).name() != "sleep":  # it asks for the signal before that
            time.sleep(0.01)
        started.kill()
    assert _ended_soon(child)


def test_a_process_with_a_title_of_its_own_is_found_by_the_next_start(keeper, tmp_path):
    directory = DataDirectory(tmp_path)
    titled = keep(keeper, tmp_path, sys.executable, "-c", TAKES_A_TITLE)
    log = tmp_path / "child.log"
    while "titled" not in log.read_text() and titled.process.poll() is None:
        time.sleep(0.01)
    assert end_orphans(directory) == 1, log.read_text()
    assert titled.process.wait(timeout=10) == -signal.SIGTERM


def test_a_process_that_does_not_start_shows_the_end_of_its_log(tmp_path):
    log = tmp_path / "web.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    error = processes.did_not_start("The web server", log)
    assert isinstance(error, CannotStart)
    assert str(error).startswith(f"The web server did not start. The end of {log}:\nline 88\n")


def _status(pid: int) -> str:
    with open(f"/proc/{pid}/status") as status:
        return status.read()


def _ignores_term(pid: int) -> bool:
    ignored = next(line for line in _status(pid).splitlines() if line.startswith("SigIgn:"))
    return bool(int(ignored.split()[1], 16) & 1 << (signal.SIGTERM - 1))


def _ended_soon(pid: int) -> bool:
    until = time.monotonic() + 5
    while _is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
