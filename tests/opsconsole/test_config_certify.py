"""[receivers.NAME.certify]: where a receiver may be probed."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole.config_certify import read_certify
from opsconsole.toml_section import Section

GOOD = {"environments": ["staging"], "payload": '{"n": 1}', "other_payload": '{"n": 2}'}


def read(certify):
    section = Section({} if certify is None else {"certify": certify}, "receivers.shop")
    return read_certify(section, ("production", "staging"))


def test_without_the_table_nothing_may_be_probed():
    assert read(None) == (None, ())


def test_the_table_names_its_environments_and_two_payloads():
    sample, places = read(GOOD)
    assert places == ("staging",)
    assert (sample.payload, sample.other_payload) == ('{"n": 1}', '{"n": 2}')


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"environments": ["moon"]}, "certify.environments: expected some of production, staging"),
        ({"payload": "{"}, "certify.payload: expected a JSON object"),
        ({"payload": "[1]"}, "certify.payload: expected a JSON object"),
        ({"other_payload": '{"n": 1.0}'}, "certify.other_payload: expected another payload"),
        ({"payloads": "{}"}, "certify.payloads"),
    ],
)
def test_a_mistake_is_told_by_its_key(given, words):
    with pytest.raises(ImproperlyConfigured) as refused:
        read(GOOD | given)
    assert words in str(refused.value)
