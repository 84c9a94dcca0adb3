"""`make demo` as a newcomer meets it: who may sign in, a full console, and agents that crash."""

import tempfile
from pathlib import Path

import pytest

from opsconsole.demo.record import DemoRecord
from tests.journeys.person import Person
from tests.journeys.world import World, eventually


def log_of(world: World, name: str) -> str:
    path = world.directory.log(name)
    return path.read_text() if path.exists() else ""


@pytest.mark.timeout(400)
def test_the_demo_is_full_lets_people_in_and_keeps_everything_on_a_second_start():
    with tempfile.TemporaryDirectory(prefix="opsconsole-demo-") as folder:
        first = World(Path(folder) / "data")
        try:
            said = first.up("--demo")
            assert f"  opsconsole   {first.url}" in said
            first.demo = demo = DemoRecord.load(first.directory.demo_record)
            assert first.directory.demo_record.stat().st_mode & 0o777 == 0o600
            for name, password in demo.passwords.items():
                assert any(line.split()[:2] == [name, password] for line in said), name
            with Person(first, "operator") as operator:
                inbox = operator.read("/").text
                for word in ("Unknown outcome", "Contradiction", "Duplicate effect", "Stalled"):
                    assert word in inbox
            # A run that was killed is followed by one that resumes with the same key.
            lines = eventually(
                lambda: log_of(first, "agents").splitlines(),
                lambda seen: any("the next run, with the same key: confirmed" in s for s in seen),
                seconds=90,
            )
            resumed = next(line.split()[1] for line in lines if "the next run" in line)
            assert any(resumed in line and "killed with SIGKILL" in line for line in lines)
        finally:
            first.stop()
        second = World(Path(folder) / "data")
        try:
            second.up("--demo")
            kept = DemoRecord.load(second.directory.demo_record)
            assert (kept.passwords, kept.tokens) == (demo.passwords, demo.tokens)
            assert "\n0 stories told;" in log_of(second, "seed_demo")
            second.demo = kept
            with second.console("agent-1") as console:
                assert next(console.list())["key"]
        finally:
            second.stop()
