"""The environment of the drills: there with the sandbox, sound, and named by nobody else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from operations.protocol.json_schema import schema_mistakes
from operations.protocol.policies import policy_mistakes
from operations.protocol.profiles import profile_mistakes
from operations.protocol.refusals import UnknownEnvironment, UnknownKind
from operations.registry import DRILL, configuration_of, environment, kind, policies
from opsconsole.config import load_configuration
from opsconsole.drill import scene
from opsconsole.drill.environment import ORDER
from reconciliation.protocol.schedule import Pace, next_look_at

PROJECT = Path(__file__).parents[3]
HOUR = timedelta(hours=1)


@pytest.fixture
def drill():
    return load_configuration(PROJECT / "opsconsole.toml").drill


def test_it_goes_to_the_sandbox_that_is_configured(drill, settings):
    config = drill.receivers[DRILL, "sandbox"]
    ordinary = settings.OPSCONSOLE.receivers["production", "sandbox"]
    assert (config.environment, config.base_url) == (DRILL, ordinary.base_url)
    assert config.webhook_secret == ordinary.webhook_secret


def test_without_a_sandbox_there_is_none(tmp_path):
    path = tmp_path / "opsconsole.toml"
    path.write_text(
        'environments = ["production"]\n[receivers.desk]\nconnector = "manual"\n'
        "[receivers.desk.environments.production]\n"
    )
    assert load_configuration(path).drill is None


def test_its_name_is_taken(tmp_path):
    path = tmp_path / "opsconsole.toml"
    path.write_text('environments = ["production", "drill"]\n')
    with pytest.raises(ImproperlyConfigured, match="other than that of the drills; got 'drill'"):
        load_configuration(path)


def test_what_is_built_in_is_as_sound_as_a_file_has_to_be(drill):
    mistakes = [
        *(each for config in drill.receivers.values() for each in profile_mistakes(config.profile)),
        *(each for kind in drill.kinds.values() for each in schema_mistakes(kind.schema)),
        *(each for policy in drill.policies for each in policy_mistakes(policy)),
    ]
    assert mistakes == []


def test_the_first_lookup_after_a_crash_comes_after_the_quarantine(drill):
    profile = drill.receivers[DRILL, "sandbox"].profile
    quarantine = profile.send_within_seconds + profile.delivery_delay_seconds
    assert quarantine + profile.lookup_lag_seconds < scene.LEASE_SECONDS


@pytest.mark.parametrize(
    "told_in",
    [
        "docs/decisions/0008-drills-have-an-environment-that-is-built-in.md",
        "opsconsole/drill/__init__.py",
        "templates/components/drill_words.html",
    ],
)
def test_how_often_what_stays_is_looked_up_is_told_as_it_is(drill, told_in):
    now = datetime.now(UTC)
    interval_seconds = drill.receivers[DRILL, "sandbox"].profile.lookup_interval_seconds
    shortest, longest = (
        next_look_at(
            now=now,
            pace=Pace.SLOW,
            look_count=1,
            interval_seconds=interval_seconds,
            jitter=jitter,
        )
        - now
        for jitter in (0, 1)
    )
    told = f"{shortest // HOUR} to {longest // HOUR} hours"
    assert (shortest % HOUR, longest % HOUR) == (timedelta(0), timedelta(0))
    assert told in (PROJECT / told_in).read_text()


def test_kinds_and_policies_are_those_of_the_environment():
    assert kind(ORDER, DRILL).name == ORDER
    with pytest.raises(UnknownKind, match=r"got drill\.order"):
        kind(ORDER, "production")
    with pytest.raises(UnknownKind, match=r"got supplier\.order"):
        kind("supplier.order", DRILL)
    assert {policy.name for policy in policies(DRILL)} & {
        policy.name for policy in policies("production")
    } == set()


def test_an_unknown_environment_is_told_the_ordinary_ones():
    assert configuration_of("moon") is configuration_of("production")
    assert environment(DRILL) == DRILL
    with pytest.raises(UnknownEnvironment, match="expected one of production, staging, got moon"):
        environment("moon")
