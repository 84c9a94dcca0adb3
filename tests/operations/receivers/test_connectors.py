"""Configuration to connector: mistakes have a field and a sentence, secrets stay unseen."""

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from operations.receivers.base import ConfigMistake, NoAnswer, Request
from operations.receivers.connectors import connector, narrowed
from tests.operations.receivers.conftest import PAYLOAD, Script, a_config
from tests.operations.receivers.stripe_rig import a_receiver

ROOT = Path(__file__).resolve().parents[3]


def test_a_manual_receiver_has_no_connector() -> None:
    assert connector(a_config("manual")) is None


@pytest.mark.parametrize(
    ("config", "field_name"),
    [
        (a_config("carrier_pigeon"), "connector"),
        (a_config("manual", "http://127.0.0.1:1"), "base_url"),
        (a_config("manual", has_lookup=True), "has_lookup"),
        (replace(a_config("manual"), credentials={"token": "t"}), "credentials"),
        (replace(a_config("sandbox", "http://a"), credentials={"token": "t"}), "credentials"),
        (a_config("sandbox"), "base_url"),
        (a_config("sandbox", "ftp://a"), "base_url"),
        (a_config("sandbox", "http://"), "base_url"),
        (a_config("sandbox", "http://user:s3cret@a"), "base_url"),
        (a_config("sandbox", "http://a/?x=1"), "base_url"),
        (a_config("sandbox", "http://a/#x"), "base_url"),
        (a_config("sandbox", "http://a/?"), "base_url"),
        (a_config("sandbox", "http://a:99999"), "base_url"),
        (a_config("sandbox", "http://[a"), "base_url"),
        (a_config("sandbox", "http://a/b c"), "base_url"),
        (a_config("sandbox", "http://a\n"), "base_url"),
    ],
)
def test_a_mistake_names_its_field_and_what_was_expected(config: object, field_name: str) -> None:
    with pytest.raises(ConfigMistake, match=r"expected .*, got ") as mistake:
        connector(config)  # type: ignore[arg-type]

    assert mistake.value.field_name == field_name
    assert "s3cret" not in str(mistake.value)


def test_secrets_are_in_no_repr() -> None:
    config = replace(a_config("sandbox"), credentials={"token": "t0ken"}, webhook_secret="whsec_x")

    assert "t0ken" not in repr(config)
    assert "whsec_x" not in repr(config)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:1", "http://127.0.0.1:1/"])
def test_a_slash_at_the_end_of_the_base_changes_nothing(base_url: str) -> None:
    receiver = connector(a_config("sandbox", base_url))
    assert receiver is not None

    request = receiver.render(
        key="K1", idempotency_key="k", payload_text="{}", environment="production"
    )

    assert request.url == "http://127.0.0.1:1/orders"


def test_a_stored_request_for_another_address_is_not_sent(script: Script) -> None:
    receiver = connector(a_config("sandbox", "http://127.0.0.1:1/api"))
    assert receiver is not None

    for url in (f"{script.url}/orders", "http://127.0.0.1:1/api-other/orders"):
        outcome = receiver.send(
            Request(method="POST", url=url, headers={}, body=b"{}"), deadline_seconds=5
        )
        assert isinstance(outcome, NoAnswer)
        assert outcome.sent is False
    assert script.heard == []


def test_only_a_connector_that_searches_lists_is_told_what_to_look_for() -> None:
    sandbox = connector(a_config("sandbox", "http://127.0.0.1:1"))
    assert sandbox is not None
    at = datetime(2026, 11, 30, tzinfo=UTC)

    assert narrowed(sandbox, payload_text=PAYLOAD, registered_at=at) is sandbox

    payload = '{"payment_intent":"pi_1","amount":"1.00","currency":"EUR"}'
    narrow = narrowed(a_receiver(), payload_text=payload, registered_at=at)
    assert narrow == replace(a_receiver(), filters={"payment_intent": "pi_1"})


def test_a_console_without_stripe_does_without_its_package() -> None:
    """It takes 15 MB and a fifth of a second in every process."""
    code = (
        "import sys, operations.receivers.connectors, operations.receivers.stripe_webhook, "
        "opsconsole.config_stripe; sys.exit('stripe' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
