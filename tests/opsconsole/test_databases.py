"""DATABASE_URL in all its shapes."""

import socket

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole.databases import GIVEN_UP, connection_settings
from opsconsole.embedded.record import ServersRecord
from opsconsole.patience import PatientConnection
from tests.campaigns.harness.proxy import Proxy, of_database, through

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


def test_the_url_has_the_last_word_on_when_a_silent_server_is_given_up():
    url = "postgresql://role@db.example/base?keepalives_idle=60"
    found = connection_settings("DATABASE_URL", url, session=SESSION)["OPTIONS"]
    assert (found["keepalives_idle"], found["keepalives_count"]) == ("60", 3)


def test_the_kernel_is_told_when_to_give_a_silent_server_up(postgres_record: ServersRecord):
    with Proxy(of_database(postgres_record.database_url)) as relay:
        url = through(postgres_record.database_url, relay)
        found = connection_settings("DATABASE_URL", url, session=SESSION)
        given = {name: found["OPTIONS"][name] for name in GIVEN_UP}
        with (
            psycopg.connect(url, **given) as connection,
            socket.socket(fileno=connection.fileno()) as tcp,
        ):
            level = socket.IPPROTO_TCP
            told = [
                tcp.getsockopt(level, name)
                for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            ]
            assert tcp.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert (told, tcp.getsockopt(level, socket.TCP_USER_TIMEOUT)) == ([5, 5, 3], 20_000)
            tcp.detach()


def test_a_pool_of_connections_that_give_up_is_handed_to_django():
    found = connection_settings("DATABASE_URL", "postgresql:///x", session={}, pool={"max_size": 3})
    assert found["OPTIONS"]["pool"] == {
        "max_size": 3,
        "connection_class": PatientConnection,
    }


@pytest.mark.parametrize("url", ["postgresql://role@host:port/base", "postgresql://role@host"])
def test_a_wrong_url_names_its_variable(url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_OWNER_URL: expected"):
        connection_settings("DATABASE_OWNER_URL", url, session={})


def test_behind_a_pooler_nothing_rests_on_a_session():
    found = connection_settings(
        "DATABASE_URL", "postgresql://role@db.example/base", session=SESSION, has_pooler=True
    )
    assert "options" not in found["OPTIONS"]
    assert found["OPTIONS"]["prepare_threshold"] is None
    assert found["DISABLE_SERVER_SIDE_CURSORS"]
