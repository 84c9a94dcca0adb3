"""`make test` finds a browser that starts, brings one, or says what it could not do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import chromium

PROJECT = Path(__file__).resolve().parents[2]
STARTS = "#!/bin/sh\necho '<p>it starts</p>'\n"
BROKEN = "#!/bin/sh\necho 'error while loading shared libraries' >&2; exit 127\n"


def program(folder, name, text):
    place = folder / name
    place.write_text(text)
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine with a shell and no browser."""
    for name in ("sh", "dirname"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.delenv("CHROMIUM", raising=False)
    return tmp_path


def bring(**variables):
    """Run the module as the Makefile does; Playwright's download goes nowhere."""
    environment = os.environ | {"PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:1", **variables}
    command = [sys.executable, "-m", "tests.chromium"]
    return subprocess.run(
        command, check=False, cwd=PROJECT, env=environment, capture_output=True, text=True
    )


def test_the_named_browser_comes_first(bare, monkeypatch):
    program(bare, "chromium", STARTS)
    monkeypatch.setenv("CHROMIUM", program(bare, "mine", STARTS))
    assert chromium.find() == str(bare / "mine")


def test_one_that_does_not_start_is_passed_over(bare):
    program(bare, "chromium", BROKEN)
    program(bare, "google-chrome", STARTS)
    assert chromium.find() == str(bare / "google-chrome")


def test_what_playwright_downloaded_is_found(bare):
    folder = bare / "playwright" / "chromium-1" / "chrome-linux"
    folder.mkdir(parents=True)
    program(folder, "chrome", STARTS)
    assert chromium.find() == str(folder / "chrome")


def test_without_any_it_says_so_and_does_not_fail(bare):
    done = bring()
    assert done.returncode == 0
    assert "The browser tests will be skipped; everything else runs." in done.stdout
    assert "playwright install chromium" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs Debian's package")
def test_root_gets_debians_package(bare):
    install = f'[ "$1" = update ] || cp {bare}/kept {bare}/chromium'
    program(bare, "apt-get", f"#!/bin/sh\n{install}\n")
    program(bare, "kept", STARTS)
    (bare / "cp").symlink_to("/bin/cp")
    done = bring()
    assert "could be brought" not in done.stdout
    assert chromium.find() == str(bare / "chromium")
