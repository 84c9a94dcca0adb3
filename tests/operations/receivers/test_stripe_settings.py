"""Settings and profiles that do not hold at Stripe stop the start."""

from dataclasses import replace

import pytest

from operations.protocol.profiles import RefusalRule
from operations.receivers.base import ConfigMistake
from operations.receivers.connectors import connector
from operations.receivers.stripe_settings import profile_mistakes, settings_mistakes
from operations.receivers.stripe_words import NEVER_DEFINITE
from tests.operations.receivers.stripe_rig import PAYMENTS, REFUNDS, a_config, a_profile
from tests.stripe_server import LIVE_KEY, TEST_KEY


@pytest.mark.parametrize("settings", [REFUNDS, PAYMENTS])
def test_sound_settings_have_no_mistakes(settings):
    assert settings_mistakes(settings) == []
    assert profile_mistakes(a_profile(settings), settings) == []


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (replace(REFUNDS, references={}), "payment_intent_pointer"),
        (
            replace(REFUNDS, references={"charge": "/c", "payment_intent": "/p"}),
            "payment_intent_pointer",
        ),
        (replace(PAYMENTS, references={"customer": "/c"}), "payment_method_pointer"),
        (replace(REFUNDS, amount_pointer="amount"), "amount_pointer"),
        (replace(REFUNDS, amount_pointer=""), "amount_pointer"),
        (replace(REFUNDS, amount_pointer="/~"), "amount_pointer"),
        (replace(REFUNDS, references={"charge": "charge"}), "charge_pointer"),
        (replace(REFUNDS, amount_pointer="/currency"), "amount_pointer"),
        (replace(REFUNDS, amount_pointer="/currency/amount"), "amount_pointer"),
    ],
)
def test_a_mistake_in_the_settings_names_its_field(settings, field):
    assert [flaw.field for flaw in settings_mistakes(settings)] == [field]


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"significant_fields": None}, "significant_fields"),
        ({"significant_fields": ("/amount", "/currency")}, "significant_fields"),
        ({"significant_fields": (*REFUNDS.places.values(), "/reason")}, "significant_fields"),
        ({"dedup_window_seconds": 86_401}, "dedup_window_seconds"),
        ({"definite_refusals": (RefusalRule(status=402),)}, "definite_refusals"),
        (
            {"definite_refusals": (RefusalRule(status=404, code="invalid_request_error"),)},
            "definite_refusals",
        ),
        (
            {"definite_refusals": (RefusalRule(code="invalid_request_error"),)},
            "definite_refusals",
        ),
    ],
)
def test_a_profile_may_not_claim_more_than_stripe_keeps(more, field):
    assert [flaw.field for flaw in profile_mistakes(a_profile(**more), REFUNDS)] == [field]


@pytest.mark.parametrize("code", sorted(NEVER_DEFINITE))
def test_what_is_never_a_definite_no_can_not_be_listed(code):
    profile = a_profile(definite_refusals=(RefusalRule(400, code),))
    (flaw,) = profile_mistakes(profile, REFUNDS)
    assert (flaw.field, code in flaw.expected) == ("definite_refusals", True)


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (replace(a_config(), settings=None), "stripe"),
        (a_config(profile=a_profile(significant_fields=None)), "significant_fields"),
        (a_config(replace(REFUNDS, references={})), "payment_intent_pointer"),
        (a_config(credentials={}), "credentials"),
        (a_config(credentials={"api_key": TEST_KEY, "more": "x"}), "credentials"),
        (a_config(credentials={"api_key": LIVE_KEY}), "credentials"),
        (a_config(credentials={"api_key": "pk_test_1"}), "credentials"),
        (a_config(credentials={"api_key": f"{TEST_KEY}\nX: y"}), "credentials"),
        (a_config(is_live=True, credentials={"api_key": TEST_KEY}), "credentials"),
        (a_config(base_url="http://stripe.example"), "base_url"),
        (a_config(base_url="ftp://127.0.0.1"), "base_url"),
    ],
)
def test_a_receiver_that_can_not_work_is_refused_by_its_field(config, field):
    with pytest.raises(ConfigMistake, match=r"expected .*, got ") as refused:
        connector(config)
    assert refused.value.field_name == field
    assert LIVE_KEY not in str(refused.value)
    assert TEST_KEY not in str(refused.value)


@pytest.mark.parametrize("base_url", ["", "https://api.stripe.com", "http://127.0.0.1:1"])
def test_the_public_address_is_the_default_and_plain_http_is_for_this_machine(base_url):
    receiver = connector(a_config(base_url=base_url))
    assert receiver.base_url == (base_url or "https://api.stripe.com")


@pytest.mark.parametrize("key", [LIVE_KEY, "rk_live_1", "sk_org_live_1"])
def test_a_live_environment_takes_every_kind_of_live_key(key):
    receiver = connector(a_config(is_live=True, credentials={"api_key": key}))
    assert key not in repr(receiver)
