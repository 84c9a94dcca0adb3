"""The database and its two roles: an owner for migrations, a run-time role that owns nothing."""

import psycopg
from psycopg import sql

from opsconsole.embedded.record import DATABASE, OWNER, RUNTIME, ServersRecord

# What every session of the run-time role begins with, through a pooler too.
RUNTIME_SESSION = {
    "lock_timeout": "2s",
    "statement_timeout": "20s",
    "idle_in_transaction_session_timeout": "30s",
}


def ensure_roles(record: ServersRecord) -> None:
    """Make what is missing and set the passwords of the record. Safe to run at every start."""
    with psycopg.connect(record.superuser_url("postgres"), autocommit=True) as connection:
        _ensure_role(connection, OWNER, record.owner_password)
        _ensure_role(connection, RUNTIME, record.runtime_password)
        _limit_sessions(connection, RUNTIME)
        _ensure_database(connection)


def _ensure_role(connection: psycopg.Connection, role: str, password: str) -> None:
    row = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = sql.SQL("ALTER" if row else "CREATE")
    connection.execute(
        sql.SQL(
            "{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT PASSWORD {}"
        ).format(verb, sql.Identifier(role), sql.Literal(password))
    )


def _limit_sessions(connection: psycopg.Connection, role: str) -> None:
    for name, limit in RUNTIME_SESSION.items():
        statement = sql.SQL("ALTER ROLE {} SET {} = {}")
        connection.execute(
            statement.format(sql.Identifier(role), sql.Identifier(name), sql.Literal(limit))
        )


def _ensure_database(connection: psycopg.Connection) -> None:
    database = sql.Identifier(DATABASE)
    row = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
    if row is None:
        statement = sql.SQL("CREATE DATABASE {} OWNER {}")
        connection.execute(statement.format(database, sql.Identifier(OWNER)))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
    connection.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, sql.Identifier(RUNTIME))
    )
