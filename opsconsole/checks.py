"""System checks: what must hold in settings and in the server for the promises to hold."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from opsconsole.embedded.roles import RUNTIME_SESSION

OLDEST_POSTGRESQL = 170000
# A commit that is not on disk when it is answered breaks "mark before send" (rule 1).
DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
ALSO_DURABLE = {"synchronous_commit": ("remote_write", "remote_apply")}


@register(Tags.security)
def policy_allows_no_inline_code(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """The content security policy must not let a page run code that it did not load from us."""
    sources = {
        str(source)
        for directive in ("default-src", "script-src", "style-src")
        for source in settings.SECURE_CSP.get(directive, ())
    }
    unsafe = sorted(source for source in sources if "unsafe" in source or source == "*")
    if not unsafe and "script-src" in settings.SECURE_CSP and "style-src" in settings.SECURE_CSP:
        return []
    return [
        Error(
            "SECURE_CSP: expected script-src and style-src without unsafe sources; got "
            f"{', '.join(unsafe) or 'none of them'}.",
            hint="Serve scripts and styles as files of our own.",
            id="opsconsole.E001",
        )
    ]


@register()
def requests_open_no_transaction(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """ATOMIC_REQUESTS would put network calls and durable commits inside one transaction."""
    return [
        Error(
            f"DATABASES[{alias!r}]: expected ATOMIC_REQUESTS off; got on.",
            hint="An action opens and commits its own transaction (rule 9).",
            id="opsconsole.E002",
        )
        for alias, database in settings.DATABASES.items()
        if database.get("ATOMIC_REQUESTS")
    ]


@register()
def there_is_something_to_record(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Without a kind or a receiver every registration would be refused."""
    configuration = settings.OPSCONSOLE
    missing = [name for name in ("kinds", "receivers") if not getattr(configuration, name)]
    return [
        Warning(
            f"{settings.OPSCONSOLE_CONFIG}: expected at least one of {name}; got none.",
            hint="Nothing can be registered until it is there.",
            id="opsconsole.W001",
        )
        for name in missing
    ]


@register(Tags.database)
def commits_are_durable(
    app_configs: Any, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """The server must be new enough and must put a commit on disk before it answers."""
    problems: list[CheckMessage] = []
    for alias in databases or ():
        with connections[alias].cursor() as cursor:
            cursor.execute(
                "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)",
                [[*DURABLE, "server_version_num"]],
            )
            found = dict(cursor.fetchall())
        problems += _version_problems(found) + _durability_problems(found)
    return problems


@register(Tags.database)
def sessions_behind_a_pooler_have_limits(
    app_configs: Any, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """Through a pooler we set nothing on a session, so the role has to bring its limits."""
    problems: list[CheckMessage] = []
    for alias in databases or ():
        role = connections[alias].settings_dict["USER"]
        is_runtime = role == settings.DATABASES[alias]["USER"]  # not the owner, who migrates
        if settings.DATABASE_POOLER == "transaction" and is_runtime:
            with connections[alias].cursor() as cursor:
                cursor.execute(
                    "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = '0'",
                    [list(RUNTIME_SESSION)],
                )
                problems += [_no_limit(role, name) for (name,) in cursor.fetchall()]
    return problems


def _no_limit(role: str, name: str) -> CheckMessage:
    limit = RUNTIME_SESSION[name]
    return Error(
        f"PostgreSQL's {name} for {role}: expected a limit, such as {limit}; got none.",
        hint=f"As its owner: ALTER ROLE {role} SET {name} = '{limit}'.",
        id="opsconsole.E005",
    )


def _version_problems(found: dict[str, str]) -> list[CheckMessage]:
    version = int(found["server_version_num"])
    if version >= OLDEST_POSTGRESQL:
        return []
    return [
        Error(
            f"PostgreSQL: expected version 17 or newer; got {version // 10000}.",
            hint="Upgrade the server that DATABASE_URL names.",
            id="opsconsole.E003",
        )
    ]


def _durability_problems(found: dict[str, str]) -> list[CheckMessage]:
    return [
        Error(
            f"PostgreSQL's {name}: expected {wanted}; got {found[name]}.",
            hint="A mark must be on disk before the call leaves (rule 1). Set it on the server.",
            id="opsconsole.E004",
        )
        for name, wanted in DURABLE.items()
        if found[name] != wanted and found[name] not in ALSO_DURABLE.get(name, ())
    ]
