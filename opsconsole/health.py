"""Liveness and readiness, for whatever restarts us or sends us traffic."""

from celery import current_app
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse


def live(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the process answers at all; asks nobody else."""
    return JsonResponse({"status": "live"})


def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers and is migrated, else 503.

    A broker that is away is reported and does not make us unready: the row is the queue (rule 10).
    """
    answers = {"database": "away", "migrations": "unknown", "grants": "unknown"}
    try:
        answers |= _database()
    except Error as error:
        answers["detail"] = str(error).splitlines()[0] if str(error) else type(error).__name__
    is_ready = answers["database"] == "ok" and answers["migrations"] == "applied"
    answers["broker"] = _broker()
    body = {"status": "ready" if is_ready else "not ready", **answers}
    return JsonResponse(body, status=200 if is_ready else 503)


def _database() -> dict[str, str]:
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return {
        "database": "ok",
        "migrations": f"{len(pending)} not applied" if pending else "applied",
        "grants": "enforced" if are_grants_enforced() else "not enforced",
    }


def are_grants_enforced() -> bool:
    """Whether the role we run as owns no table and is no superuser, so that grants bind it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT NOT rolsuper AND NOT EXISTS ("
            " SELECT 1 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            " AND pg_has_role(current_user, relowner, 'USAGE'))"
            " FROM pg_roles WHERE rolname = current_user"
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def _broker() -> str:
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=0)
    except Exception:  # each transport raises its own; any of them means away
        return "away"
    return "ok"
