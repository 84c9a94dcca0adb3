"""A mistake in opsconsole.toml stops the start with a sentence that names the key."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole.config import load_configuration

KIND = """
[kinds.order]
title = "Order"
[kinds.order.schema]
type = "object"
[kinds.order.schema.properties]
sku = { type = "string" }
"""
RECEIVER = """
[receivers.desk]
connector = "manual"
[receivers.desk.environments.production]
"""
HEAD = 'environments = ["production"]\n'


def load(tmp_path: Path, text: str):
    path = tmp_path / "opsconsole.toml"
    path.write_text(text, encoding="utf-8")
    return load_configuration(path)


def test_the_projects_own_file_is_sound():
    found = load_configuration(Path(__file__).parents[2] / "opsconsole.toml")
    assert found.environments == ("production", "staging")
    assert set(found.kinds) == {"supplier.order", "payment.refund", "customer.email"}
    assert found.receivers[("staging", "sandbox")].profile.has_lookup
    assert [policy.needed for policy in found.policies] == [1, 2]


def test_a_small_file_is_enough(tmp_path):
    found = load(tmp_path, HEAD + KIND + RECEIVER)
    assert ("production", "desk") in found.receivers


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (KIND, "environments"),
        ("environments = []", "environments"),
        (HEAD + "surprise = 1", "surprise"),
        (HEAD + "[kinds.order]\ntitle = 3\n[kinds.order.schema]", 'kinds."order".title'),
        (HEAD + KIND.replace('"object"', '"objekt"'), 'kinds."order".schema'),
        (HEAD + KIND.replace('title = "Order"', 'title = "O"\nsize = 1'), 'kinds."order".size'),
        (
            HEAD + KIND.replace('title = "Order"', 'title = "O"\ntitle_template = "{nosuch}"'),
            'kinds."order".title_template',
        ),
        (HEAD + RECEIVER.replace("manual", "fax"), 'receivers."desk".connector'),
        (
            HEAD + RECEIVER.replace("environments.production", "environments.moon"),
            'receivers."desk".environments."moon"',
        ),
        (
            HEAD + RECEIVER.replace('"manual"', '"manual"\nsend_within_seconds = 0'),
            'receivers."desk".send_within_seconds',
        ),
        *(
            (
                HEAD + RECEIVER.replace('"manual"', f'"manual"\n{name} = 0'),
                f'receivers."desk".{name}',
            )
            for name in (
                "lookups_at_once",
                "lookups_per_minute",
                "circuit_after_failures",
                "circuit_pause_seconds",
            )
        ),
        (
            HEAD + RECEIVER.replace('"manual"', '"manual"\nhas_lookup = true'),
            'receivers."desk".environments."production".base_url',
        ),
        (HEAD + KIND + '[[policies]]\nname = "p"\nkinds = ["ordre"]', "policies[0].kinds"),
        (HEAD + KIND + '[[policies]]\nname = "p"\nrole = "boss"', "policies[0].role"),
        (HEAD + KIND + '[[policies]]\nname = "p"\namount_from = "1"', "policies[0].currency"),
        (HEAD + KIND + '[[policies]]\nname = "p"\nneeded = 0', "policies[0].needed"),
    ],
)
def test_a_mistake_is_named_by_its_key(tmp_path, text, key):
    with pytest.raises(ImproperlyConfigured) as refused:
        load(tmp_path, text)
    assert f"opsconsole.toml: {key}" in str(refused.value)
    assert "expected" in str(refused.value)
    assert "got" in str(refused.value)


def test_how_a_receiver_may_be_asked_is_read(tmp_path):
    said = "lookups_at_once = 8\nlookups_per_minute = 90\n"
    said += "circuit_after_failures = 4\ncircuit_pause_seconds = 20"
    text = HEAD + RECEIVER.replace('"manual"', f'"manual"\n{said}')
    profile = load(tmp_path, text).receivers[("production", "desk")].profile
    assert (profile.lookups_at_once, profile.lookups_per_minute) == (8, 90)
    assert (profile.circuit_after_failures, profile.circuit_pause_seconds) == (4, 20)


def test_text_that_is_not_toml_is_said_to_be_so(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="expected TOML"):
        load(tmp_path, "environments = [")


def test_a_missing_file_names_the_variable(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="OPSCONSOLE_CONFIG"):
        load_configuration(tmp_path / "nowhere.toml")


def test_a_secret_comes_from_the_environment(tmp_path, monkeypatch):
    text = HEAD + RECEIVER.replace(
        "environments.production]", 'environments.production]\nwebhook_secret = { env = "DESK" }'
    )
    with pytest.raises(ImproperlyConfigured, match="the environment variable DESK"):
        load(tmp_path, text)
    monkeypatch.setenv("DESK", "whsec_x")
    assert load(tmp_path, text).receivers[("production", "desk")].webhook_secret == "whsec_x"
