"""The machinery that breaks a console's surroundings: it breaks what it says, and sees all."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from opsconsole.embedded.services import Services
from tests.campaigns.harness.campaign import Run
from tests.campaigns.surroundings import own_mounts
from tests.campaigns.surroundings.disk_full import fill_up
from tests.campaigns.surroundings.echo import COPIES, Echo, a_client
from tests.campaigns.surroundings.failing_disk import NO_COMPILER, FailingDisk
from tests.campaigns.surroundings.forgeries import forged_messages
from tests.campaigns.surroundings.witness import Witness

URL = "http://console/api/v1/operations"
PLACE = ("production", "order-17")


def answered(
    witness: Witness, path: str, status: int, said: object, asked: object = None, **headers: str
) -> None:
    """Let the witness see one answer, as if a console had given it."""

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json=said, headers=headers)

    hooks = {"response": [witness.see]}
    with httpx.Client(transport=httpx.MockTransport(answer), event_hooks=hooks) as client:
        client.post(URL + path, json=asked)


def a_registration(witness: Witness) -> None:
    asked = {"environment": PLACE[0], "key": PLACE[1]}
    answered(witness, "", 201, {"id": "op-1"}, asked)


def test_the_witness_keeps_what_was_acknowledged() -> None:
    witness = Witness()
    a_registration(witness)
    answered(witness, "/op-1/attempts", 201, {"generation": 1}, {"token": 7})
    answered(witness, "/op-1/receipts", 200, {"state": "confirmed"}, {"token": 7})
    assert list(witness.registered) == [PLACE]
    assert witness.marks == {("op-1", 1): 7}
    assert witness.marks_by_place() == {PLACE: 1}
    assert witness.confirmed == {"op-1"}
    assert witness.faults == []


def test_the_witness_takes_nothing_from_a_refusal() -> None:
    witness = Witness()
    a_registration(witness)
    answered(witness, "/op-1/attempts", 409, {"code": "held"}, {"token": 7})
    answered(witness, "/op-1/receipts", 200, {"state": "sent_unknown"}, {"token": 7})
    assert (witness.marks, witness.confirmed, witness.faults) == ({}, set(), [])


@pytest.mark.parametrize(
    ("status", "said", "headers", "fault"),
    [
        (503, {"code": "unavailable"}, {"Retry-After": "2"}, None),
        (500, {"code": "unavailable"}, {}, "expected 503, got 500"),
        (503, {"code": "unavailable"}, {}, "503 without Retry-After"),
        (503, {"code": "away"}, {"Retry-After": "2"}, "503 without the code unavailable"),
    ],
)
def test_only_a_503_that_says_when_to_come_back_is_no_fault(status, said, headers, fault) -> None:
    witness = Witness()
    answered(witness, "", status, said, {}, **headers)
    assert witness.statuses == {status: 1}
    assert len(witness.faults) == (fault is not None)
    assert fault is None or fault in witness.faults[0]


@pytest.fixture(scope="module")
def broker_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="opsconsole-echo-") as folder:
        os.chmod(folder, 0o711)
        services = Services.start(Path(folder) / "data", with_database=False)
        yield services.record.broker_url
        services.stop()


@pytest.mark.servers
def test_the_echo_keeps_each_message_and_copies_while_it_is_told_to(broker_url: str) -> None:
    odd = [json.dumps({"text": 'a "quoted" \\ word\n'}).encode(), b"\xff\x00\r\n", b"plain"]
    with Echo(broker_url) as echo, a_client(broker_url) as client:
        heard_until(client, echo)
        echo.kept.clear()
        for message in odd:
            client.lpush("dispatch", message)
        client.rpush("dispatch", b"not listened to")
        until(lambda: len(echo.kept) == len(odd))
        assert client.llen("dispatch") == len(odd) + 1
        echo.is_copying.set()
        client.lpush("reconcile", b"ten times")
        until(lambda: client.llen("reconcile") == 1 + COPIES)
        time.sleep(0.3)
        assert client.llen("reconcile") == 1 + COPIES
    assert echo.kept == [*(("dispatch", message) for message in odd), ("reconcile", b"ten times")]
    assert echo.copies == COPIES


def heard_until(client, echo: Echo) -> None:
    """MONITOR begins a moment after the thread does."""

    def is_heard() -> bool:
        client.lpush("warm-up", b"x")
        return bool(echo.kept)

    until(is_heard)
    client.lpush("warm-up", b"the last")  # those before it may still be on their way
    until(lambda: ("warm-up", b"the last") in echo.kept)


def until(holds) -> None:
    ends_at = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < ends_at
        time.sleep(0.02)


def test_there_are_many_forged_messages_and_no_two_alike() -> None:
    found = list(forged_messages())
    assert len(found) == len(set(found)) >= 60


def test_a_disk_fails_and_works_as_it_is_told(tmp_path: Path) -> None:
    disk = FailingDisk.made_in(tmp_path)
    if disk is None:
        pytest.skip(NO_COMPILER)
    script = "import os; file = os.open('f', os.O_CREAT | os.O_WRONLY); os.fdatasync(file)"

    def sync() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env={**os.environ, **disk.environment()},
            capture_output=True,
            text=True,
            check=False,
        )

    assert sync().returncode == 0
    disk.breaks()
    assert "Input/output error" in sync().stderr
    assert disk.failures == 1
    disk.works()
    assert (sync().returncode, disk.failures) == (0, 1)


def test_without_root_nothing_is_mounted_and_the_row_says_so(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(own_mounts.os, "geteuid", lambda: 1000)
    tally = own_mounts.run_in_own_mounts(Run(seed=1, seconds=1, directory=tmp_path), "none")
    assert (tally.points, tally.not_run) == (0, "mounting a small disk needs root")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_small_disk_keeps_what_lay_there_and_can_be_filled(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.mkdir()
    (place / "kept").write_text("kept")
    script = (
        "import errno, os, subprocess, sys; from pathlib import Path\n"
        "from tests.campaigns.surroundings.own_mounts import leave_shared_mounts, mount_small\n"
        "from tests.campaigns.surroundings.disk_full import fill_up\n"
        "place = Path(sys.argv[1]); leave_shared_mounts(); mount_small(place, megabytes=2)\n"
        "assert (place / 'kept').read_text() == 'kept'\n"
        "fill_up(place / 'ballast')\n"
        "try: (place / 'more').write_bytes(bytes(8192))\n"
        "except OSError as error: assert error.errno == errno.ENOSPC; print('full')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(place)],
        cwd=own_mounts.PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "not permitted" in done.stderr:
        pytest.skip("mounts of one's own are not permitted here")
    assert done.stdout == "full\n", done.stderr
    assert list(place.iterdir()) == []  # the mounts, with what lay on them, ended with that process


def test_filling_up_ends_where_no_byte_is_left(tmp_path: Path, monkeypatch) -> None:
    left = [2_500_000]

    def write(descriptor: int, raw: bytes) -> int:
        taken = min(left[0], len(raw))
        left[0] -= taken
        if taken == 0:
            raise OSError("full")
        return taken

    monkeypatch.setattr("tests.campaigns.surroundings.disk_full.os.write", write)
    fill_up(tmp_path / "ballast")
    assert left == [0]
