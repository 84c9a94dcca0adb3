"""CI's own check: a marked test that was skipped, or that is gone, is a failure."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import pytest_collection_modifyitems

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "skipped_tests.py"
CASE = (
    '<testcase classname="tests.x" name="{name}"><properties>'
    '<property name="marker" value="{marker}"/></properties>{inside}</testcase>'
)


def run(tmp_path, *cases):
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    command = [sys.executable, str(SCRIPT), str(report)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def case(name, marker, inside=""):
    return CASE.format(name=name, marker=marker, inside=inside)


OTHERS = (case("test_b", "race"), case("test_c", "pooler"), case("test_d", "campaigns"))


def test_a_full_run_passes(tmp_path):
    done = run(tmp_path, case("test_a", "browser"), *OTHERS)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_skipped_browser_test_fails(tmp_path):
    skipped = case("test_a", "browser", "<skipped/>")
    done = run(tmp_path, skipped, *OTHERS)
    assert done.returncode == 1
    assert done.stdout == "tests.x::test_a is marked browser and was skipped.\n"


def test_no_race_test_at_all_fails(tmp_path):
    done = run(tmp_path, case("test_a", "browser"), *OTHERS[1:])
    assert done.returncode == 1
    assert done.stdout == "No test is marked race: expected at least one.\n"


def test_a_campaign_that_could_not_be_run_fails(tmp_path):
    skipped = case("test_d", "campaigns", "<skipped/>")
    done = run(tmp_path, case("test_a", "browser"), *OTHERS[:2], skipped)
    assert done.returncode == 1
    assert done.stdout == "tests.x::test_d is marked campaigns and was skipped.\n"


def test_markers_are_written_into_the_report(request):
    marked = pytest.Function.from_parent(request.node.parent, name="planted", callobj=lambda: None)
    marked.add_marker(pytest.mark.race)
    pytest_collection_modifyitems([marked])
    assert marked.user_properties == [("marker", "race")]
