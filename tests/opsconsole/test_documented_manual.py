"""The manual receiver of docs/receivers.md is a configuration that starts."""

from operations.receivers.base import ReceiverConfig
from opsconsole.config import load_configuration
from tests.http_receivers import ROOT


def documented(tmp_path) -> ReceiverConfig:
    """As it stands below its heading, in a file of its own."""
    text = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8").split("\n## Manual\n")[1]
    block = text.split("```toml")[1].split("```")[0]
    path = tmp_path / "opsconsole.toml"
    path.write_text(f'environments = ["production"]\n{block}', encoding="utf-8")
    return load_configuration(path).receivers[("production", "orderdesk")]


def test_the_documented_receiver_says_whom_to_ask_and_promises_nothing(tmp_path):
    profile = documented(tmp_path).profile
    assert (profile.connector, profile.contact[:10]) == ("manual", "Order desk")
    assert "operation key" in profile.runbook
    assert profile.link_template == "https://portal.desk.example/orders/{key}"
    assert (profile.has_lookup, profile.deduplicates) == (False, False)
    assert profile.delivery_delay_seconds == 3600
