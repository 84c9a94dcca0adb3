"""What is asked before anything starts: the lock, the port, the data folder, the secret key."""

import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.lock import only_one
from opsconsole.embedded.ports import free_port, require_free
from opsconsole.secret import secret_key


def test_a_second_supervisor_is_told_who_holds_the_data(tmp_path):
    with (
        only_one(tmp_path),
        pytest.raises(
            CannotStart, match=f"already running on {tmp_path}, as process {os.getpid()}"
        ),
        only_one(tmp_path),
    ):
        pass


def test_a_start_waits_for_one_that_is_stopping(tmp_path):
    order = []
    begun = threading.Event()

    def second():
        begun.set()
        with only_one(tmp_path):
            order.append("second")

    with only_one(tmp_path) as stopping:
        stopping()
        other = threading.Thread(target=second)
        other.start()
        begun.wait()
        order.append("first")
    other.join(timeout=10)
    assert order == ["first", "second"]


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    holder = (
        "import sys, time; from pathlib import Path\n"
        "from opsconsole.embedded.lock import only_one\n"
        "with only_one(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", holder, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        process.kill()
    with only_one(tmp_path):
        pass


def test_a_taken_port_names_its_variable_and_a_way_out():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(CannotStart) as raised:
            require_free("PORT", "127.0.0.1", port)
        assert str(raised.value).startswith(
            f"PORT: expected a free port on 127.0.0.1; got {port} ("
        )
        assert f"PORT={port + 1}" in str(raised.value)
        assert free_port(kept=port) != port
    require_free("PORT", "127.0.0.1", port)
    assert free_port(kept=port) == port


def test_a_data_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotStart, match="OPSCONSOLE_DATA: expected a folder this user can write"):
        DataDirectory(tmp_path / "file" / "data").prepare()


def test_the_secret_key_is_made_once(tmp_path, monkeypatch):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    directory = DataDirectory(tmp_path / "data")
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key(directory), range(8)))
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_given_secret_key_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "given")
    assert secret_key(DataDirectory(tmp_path)) == "given"
    assert not (tmp_path / "secret_key").exists()
