"""The documented configuration of Stripe is one that starts; a mistake in it names its key."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from operations.protocol.profiles import is_definite_refusal
from operations.receivers.connectors import connector
from operations.receivers.stripe_settings import Made
from opsconsole.config import load_configuration
from tests.stripe_server import LIVE_KEY, TEST_KEY, documented


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.setenv("STRIPE_LIVE_KEY", LIVE_KEY)
    monkeypatch.setenv("STRIPE_TEST_KEY", TEST_KEY)

    def read(text):
        path = tmp_path / "opsconsole.toml"
        path.write_text(text, encoding="utf-8")
        return load_configuration(path)

    return read


@pytest.mark.parametrize("environment", ["production", "staging"])
def test_the_documented_receivers_start_with_the_key_of_their_mode(load, environment):
    found = load(documented())
    for name, makes in (
        ("stripe-refunds", Made.REFUND),
        ("stripe-payments", Made.PAYMENT_INTENT),
    ):
        config = found.receivers[(environment, name)]
        receiver = connector(config)
        assert receiver.settings.makes is makes
        assert receiver.base_url == "https://api.stripe.com"
        assert receiver.api_key == (LIVE_KEY if environment == "production" else TEST_KEY)
        assert config.profile.dedup_window_seconds == 86_400
        assert config.profile.dedup_margin_seconds > 0


def test_the_documented_refusals_are_the_ones_of_the_table(load):
    profile = load(documented()).receivers[("staging", "stripe-refunds")].profile
    assert is_definite_refusal(profile, status=400, code="charge_already_refunded")
    assert is_definite_refusal(profile, status=404, code="resource_missing")
    for status, code in ((400, "idempotency_conflict"), (429, "rate_limit"), (500, "api_error")):
        assert not is_definite_refusal(profile, status=status, code=code)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('makes = "refund"', 'makes = "charge"', "stripe.makes"),
        ('makes = "refund"', 'makes = "refund"\nsurprise = 1', "stripe.surprise"),
        ('makes = "refund"', 'makes = "refund"\nsearch_limit = 0', "stripe.search_limit"),
        (
            'payment_intent_pointer = "/payment_intent"',
            'customer_pointer = "/customer"',
            "stripe.payment_intent_pointer",
        ),
        (
            'amount_pointer = "/amount"\ncurrency_pointer',
            "currency_pointer",
            "stripe.amount_pointer",
        ),
        (
            'live_environments = ["production"]',
            "live_environments = []",
            'environments."production".credentials',
        ),
        (
            'significant_fields = ["/payment_intent", "/amount", "/currency"]',
            "",
            'environments."production".significant_fields',
        ),
        (
            'code = "charge_disputed"',
            'code = "rate_limit"',
            'environments."production".definite_refusals',
        ),
    ],
)
def test_a_mistake_is_named_by_its_key(load, old, new, key):
    head, tail = documented().split("[receivers.stripe-refunds]")
    assert old in tail
    with pytest.raises(ImproperlyConfigured) as refused:
        load(f"{head}[receivers.stripe-refunds]{tail.replace(old, new, 1)}")
    assert f'receivers."stripe-refunds".{key}' in str(refused.value)
    assert LIVE_KEY not in str(refused.value)


def test_a_key_that_is_not_in_the_environment_stops_the_start(load, monkeypatch):
    monkeypatch.delenv("STRIPE_LIVE_KEY")
    with pytest.raises(ImproperlyConfigured, match="the environment variable STRIPE_LIVE_KEY"):
        load(documented())
