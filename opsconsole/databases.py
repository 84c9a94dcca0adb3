"""From a PostgreSQL URL to Django's settings for a connection."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from opsconsole.patience import PatientConnection

PREPARE_AFTER = 3
# A server whose machine or network went away says nothing: it is given up within 20 s, where the
# system's own patience is two hours. One that only stands still is given up by `patience`.
GIVEN_UP = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds, for what was sent and is not acknowledged
}
NAMED = ("user", "password", "host", "port", "dbname")


def connection_settings(
    name: str,
    url: str,
    *,
    session: dict[str, str],
    pool: dict[str, Any] | None = None,
    has_pooler: bool = False,
) -> dict[str, Any]:
    """Return the members of DATABASES for one URL.

    `session` holds run-time parameters set on every connection, such as lock_timeout. `name` is
    the variable to blame when the URL is wrong. `has_pooler` says that a pooler stands before the
    server and gives each transaction another session: then nothing rests on one. Its role has to
    carry the parameters.
    """
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError as error:
        raise ImproperlyConfigured(
            f"{name}: expected postgresql://role:password@host:port/database; {error}"
        ) from error
    if not parts.get("dbname"):
        raise ImproperlyConfigured(f"{name}: expected a database name at the end; got none.")
    port = str(parts.get("port") or "")
    if port and not port.isdigit():
        raise ImproperlyConfigured(f'{name}: expected a number as port; got "{port}".')
    options: dict[str, Any] = {key: parts[key] for key in parts if key not in NAMED}
    options = {**GIVEN_UP, **options}
    given = [str(options.pop("options"))] if "options" in options else []
    if not has_pooler:
        given += [f"-c {key}={session[key]}" for key in session]
    if given:
        options["options"] = " ".join(given)
    # Plans are kept per connection: planning would be a third of a short transaction's time.
    options["server_side_binding"] = True
    options["prepare_threshold"] = None if has_pooler else PREPARE_AFTER
    if pool is not None:
        options["pool"] = {"connection_class": PatientConnection, **pool}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts["dbname"],
        "USER": parts.get("user") or "",
        "PASSWORD": parts.get("password") or "",
        "HOST": parts.get("host") or "",
        "PORT": port,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": has_pooler,
        "OPTIONS": options,
    }
