"""The reference notices a planted fault, and a seed tells the same stories again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from operations.actions import release_operation
from operations.models import AuditEntry
from operations.protocol import choice_rules
from opsconsole.embedded.record import ServersRecord
from reconciliation.sandbox.process import SandboxProcess
from tests.campaigns.harness.campaign import Run
from tests.campaigns.harness.rig import Rig
from tests.campaigns.stateful.campaign import CAMPAIGN, set_up, tell, tell_one
from tests.campaigns.stateful.chosen import RULES, named
from tests.campaigns.stateful.coverage import CODES, ELSEWHERE, Met
from tests.campaigns.stateful.scenes import OTTO, Scenes
from tests.campaigns.stateful.story import Divergence, Stage
from tests.database import empty_tables_as_superuser
from tests.receiver import sandbox_process_fixture

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

sandbox = sandbox_process_fixture


@pytest.fixture(name="stage")
def stage_fixture(
    postgres_record: ServersRecord, sandbox_process: SandboxProcess, transactional_db: None
) -> Iterator[Stage]:
    before = settings.OPSCONSOLE, settings.ALLOWED_HOSTS
    yield set_up(Rig(postgres_record, sandbox_process))
    settings.OPSCONSOLE, settings.ALLOWED_HOSTS = before
    empty_tables_as_superuser(postgres_record)


def test_a_release_in_the_quarantine_is_noticed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chapter(story: Scenes) -> None:
        story.release(story.unknown("alone"), OTTO)

    tell_one(stage, chapter)
    monkeypatch.setattr(choice_rules, "release_blockers", lambda *_, **__: [])
    monkeypatch.setattr(release_operation, "release_blockers", lambda *_, **__: [])

    with pytest.raises(Divergence, match="release"):
        tell_one(stage, chapter)


def test_what_was_found_is_told_although_the_time_is_over_then(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice_rules, "release_blockers", lambda *_, **__: [])
    monkeypatch.setattr(release_operation, "release_blockers", lambda *_, **__: [])
    stage.is_over = lambda: bool(stage.found)

    found = tell(stage, 4711, count=20, steps=6)

    assert len(found) == 1
    assert "choice release" in found[0]


def test_each_rule_can_be_named_alone() -> None:
    assert [name for name in RULES if list(named(name)) != [name]] == []


def test_a_focus_that_names_no_story_does_not_pass(tmp_path: Path) -> None:
    tally = CAMPAIGN.run(Run(seed=1, seconds=1, directory=tmp_path, focus="no such story"))
    assert CAMPAIGN.failures(tally, is_narrowed=True) == ["no point was tried"]


def test_the_same_seed_tells_the_same_stories(stage: Stage) -> None:
    acts = []
    for _ in range(2):
        stage.met = Met()
        assert tell(stage, 4711, count=2, steps=6) == []
        acts.append((stage.met.acts, stage.met.codes))

    assert acts[0] == acts[1]


def test_a_run_that_met_nothing_says_what_it_left_out() -> None:
    left_out = Met().left_out()
    assert "act registers was never met" in left_out
    assert "confirm from sent_unknown was never met" in left_out
    assert not CODES & ELSEWHERE.keys()
    assert not AuditEntry.objects.exists()
