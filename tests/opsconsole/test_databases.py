"""DATABASE_URL in all its shapes."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole.databases import connection_settings

SESSION = {"lock_timeout": "2s"}


def test_a_socket_url_keeps_its_folder():
    url = "postgresql://ops_runtime:a%2Fb@/opsconsole?host=%2Fvar%2Frun%2Fx"
    found = connection_settings("DATABASE_URL", url, session=SESSION)
    assert (found["USER"], found["PASSWORD"]) == ("ops_runtime", "a/b")
    assert (found["HOST"], found["NAME"]) == ("/var/run/x", "opsconsole")


def test_options_of_the_url_come_before_the_session():
    url = "postgresql://role@db.example:5433/base?sslmode=require&options=-c%20search_path%3Dours"
    found = connection_settings("DATABASE_URL", url, session=SESSION)
    assert found["PORT"] == "5433"
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["options"] == "-c search_path=ours -c lock_timeout=2s"


def test_a_pool_is_handed_to_django():
    found = connection_settings("DATABASE_URL", "postgresql:///x", session={}, pool={"max_size": 3})
    assert found["OPTIONS"]["pool"] == {"max_size": 3}


@pytest.mark.parametrize("url", ["postgresql://role@host:port/base", "postgresql://role@host"])
def test_a_wrong_url_names_its_variable(url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_OWNER_URL: expected"):
        connection_settings("DATABASE_OWNER_URL", url, session={})
