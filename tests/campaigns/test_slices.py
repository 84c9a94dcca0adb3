"""A short slice of every campaign, in one run of their own process, as `make campaigns` does."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.catalogue import MODULES

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_SECONDS = 1200

pytestmark = [pytest.mark.campaigns, pytest.mark.timeout(LONGEST_SECONDS + 20)]


@pytest.fixture(scope="session", name="results")
def results_fixture(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What one run of all slices found."""
    told = tmp_path_factory.mktemp("campaigns") / "results.json"
    command = [sys.executable, "-m", "tests.campaigns", "--slice", "--json", str(told)]
    process = subprocess.run(
        command,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
    )
    assert told.exists(), process.stdout + process.stderr
    found: list[dict[str, Any]] = json.loads(told.read_text())
    return found


@pytest.mark.parametrize("number", range(len(MODULES)), ids=MODULES)
def test_the_promise_holds_in_a_slice_of(number: int, results: list[dict[str, Any]]) -> None:
    result = results[number]
    if result["not_run"]:
        pytest.skip(result["not_run"])
    assert result["failures"] == []
    assert (result["duplicates"], result["lost"], result["stuck"]) == (0, 0, 0)


def test_every_slice_shows_real_work(results: list[dict[str, Any]]) -> None:
    assert all(result["points"] > 0 for result in results if not result["not_run"])
