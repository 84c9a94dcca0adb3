"""A wrong value of the environment stops the start with a sentence."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole import env


def test_a_number_is_read_within_its_bounds(monkeypatch):
    monkeypatch.setenv("CLAIM_SECONDS", "30")
    assert env.whole_number("CLAIM_SECONDS", default=1, at_least=5, at_most=300) == 30


def test_a_missing_or_empty_variable_gives_the_default(monkeypatch):
    monkeypatch.delenv("CLAIM_SECONDS", raising=False)
    assert env.whole_number("CLAIM_SECONDS", default=7) == 7
    monkeypatch.setenv("CLAIM_SECONDS", "")
    assert env.whole_number("CLAIM_SECONDS", default=7) == 7


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ("soon", 'CLAIM_SECONDS: expected a whole number, at least 5; got "soon".'),
        ("4", 'CLAIM_SECONDS: expected a whole number, at least 5; got "4".'),
        ("5.0", 'CLAIM_SECONDS: expected a whole number, at least 5; got "5.0".'),
    ],
)
def test_a_wrong_number_is_one_sentence(monkeypatch, raw, sentence):
    monkeypatch.setenv("CLAIM_SECONDS", raw)
    with pytest.raises(ImproperlyConfigured) as raised:
        env.whole_number("CLAIM_SECONDS", default=30, at_least=5)
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("raw", "is_on"), [("1", True), ("Yes", True), ("off", False), ("0", False)]
)
def test_a_flag_has_eight_words(monkeypatch, raw, is_on):
    monkeypatch.setenv("DEBUG", raw)
    assert env.flag("DEBUG", default=not is_on) is is_on


def test_another_word_is_no_flag(monkeypatch):
    monkeypatch.setenv("DEBUG", "maybe")
    with pytest.raises(ImproperlyConfigured, match="DEBUG: expected one of 1, true, yes, on, 0"):
        env.flag("DEBUG", default=False)


def test_a_choice_names_what_it_knows(monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "LOUD")
    with pytest.raises(
        ImproperlyConfigured, match='LOG_LEVEL: expected one of INFO, DEBUG; got "LOUD"'
    ):
        env.choice("LOG_LEVEL", default="INFO", among=("INFO", "DEBUG"))


def test_a_list_loses_its_empty_members(monkeypatch):
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, ,b.example,")
    assert env.words("ALLOWED_HOSTS", default=()) == ["a.example", "b.example"]


def test_a_relative_path_becomes_absolute(monkeypatch):
    monkeypatch.setenv("OPSCONSOLE_DATA", "somewhere")
    assert env.path("OPSCONSOLE_DATA", default=Path("/")) == Path.cwd() / "somewhere"


def test_a_wrong_url_never_shows_its_password(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "mysql://someone:hunter2@host/base")
    with pytest.raises(ImproperlyConfigured) as raised:
        env.url("DATABASE_URL", default="", schemes=("postgresql",))
    assert "expected a URL that starts with postgresql" in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_a_kept_value_is_given_to_the_configuration_file(monkeypatch):
    monkeypatch.setenv("SANDBOX_URL", "")
    assert env.given_or_kept("SANDBOX_URL", "http://127.0.0.1:1") == "http://127.0.0.1:1"
    assert env.given_or_kept("SANDBOX_URL", "http://127.0.0.1:2") == "http://127.0.0.1:1"
