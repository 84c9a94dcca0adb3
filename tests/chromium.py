"""Finds a Chromium for the browser tests; `python -m tests.chromium` brings one where none is."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Return the first Chromium that really starts: CHROMIUM, the PATH, then Playwright's own."""
    return next((each for each in _candidates() if starts(each)), None)


def starts(executable: str) -> bool:
    """Whether it can show a page here; a download may lack the system's libraries."""
    with tempfile.TemporaryDirectory(prefix="opsconsole-chromium-") as profile:
        command = [executable, "--headless", f"--user-data-dir={profile}", "--dump-dom"]
        command += [*arguments(), "data:text/html,<p>it starts</p>"]
        try:
            shown = subprocess.run(command, check=False, capture_output=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return b"it starts" in shown.stdout


def arguments() -> list[str]:
    """Return what Chromium needs in a container, and as root, which its sandbox refuses."""
    return ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]


def _candidates() -> Iterator[str]:
    given = os.environ.get("CHROMIUM")
    if given:
        yield given
    yield from filter(None, map(shutil.which, NAMES))
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright"
    yield from map(str, sorted(Path(folder).glob("chromium*/chrome-*/*chrom*"), reverse=True))


def _bring() -> list[str]:
    tried = []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        tried.append("apt-get install chromium")
        if _run("apt-get", "update", "-q") and _run(
            "apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium"
        ):
            return tried
    tried.append("playwright install chromium")
    _run(sys.executable, "-m", "playwright", "install", "chromium")
    return tried


def _run(*command: str) -> bool:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, env=environment, stdin=subprocess.DEVNULL)
    return done.returncode == 0


def main() -> None:
    """Bring a browser if there is none. Never fails: the tests that need one say they skip."""
    if find() is not None:
        return
    print("No Chromium starts here; trying to install one for the browser tests.", flush=True)
    tried = _bring()
    if find() is None:
        print(
            f"No Chromium could be brought ({', then '.join(tried)}). The browser tests will be "
            "skipped; everything else runs. Install one, or name it in CHROMIUM.",
            flush=True,
        )


if __name__ == "__main__":
    main()
