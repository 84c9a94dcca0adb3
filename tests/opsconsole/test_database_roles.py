"""The suite runs as the role that production runs as."""

import psycopg
import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_tests_run_as_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("ops_runtime",)


def test_the_runtime_role_cannot_change_the_schema(connect_as) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as("runtime").execute("CREATE TABLE planted (id int)")


def test_the_runtime_role_cannot_empty_a_table(connect_as) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as("runtime").execute("TRUNCATE django_session")
