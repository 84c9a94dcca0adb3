"""What the run-time role may do, table by table: evidence can be added, never changed."""

from typing import Any

from django.apps import apps

# Columns that the run-time role may UPDATE, by model. A model that is not here is append-only.
OPERATION_COLUMNS = (
    "state cause grade effect_id is_reversed version generation state_since updated_at next_try_at "
    "claims_without_mark could_not_ask_since claim_token claim_holder claim_purpose claim_taken_at "
    "claim_expires_at claim_given_back review_token review_holder_id review_taken_at "
    "review_expires_at"
)
UPDATABLE: dict[str, str] = {
    "operations.Operation": OPERATION_COLUMNS,
    "operations.Claim": "expires_at ended_at end",
    "operations.Receipt": "operation_id",
    "operations.Review": "closed_at finding closing_reason closed_by_id",
    "operations.Approval": "given status asked_count valid_until decided_at",
    "operations.ApiToken": "revoked_at last_used_at expires_at",
    "operations.Agent": "responsible_id is_active",
    "operations.AuditWords": "actor_name reason",
    "operations.Halt": "lifted_at lifted_by_id lift_reason",
    "reconciliation.LookupGate": (
        "failures_in_row last_error last_error_at opened_at open_until probe_token probe_ends_at "
        "held_until next_ask_at"
    ),
    "reconciliation.StatementRun": (
        "status started_at finished_at offset row_count line counts fault token holder lease_until"
    ),
    "reconciliation.StatementProposal": "status answered_by_id answered_at answer_reason run_id",
}
# Columns of an audit entry that may be given; its trigger overwrites seq, prev_hash and hash.
AUDIT_COLUMNS = (
    "stream operation_id at actor_kind actor_id event state_before state_after version generation "
    "token cause detail request_id body seq prev_hash hash"
)
# Tables of libraries, with their usual rights: people, sessions, what Django keeps of them.
FREE_APPS = ("auth", "sessions", "admin", "contenttypes", "account", "mfa", "usersessions")


def apply(connection: Any, role: str) -> None:
    """Grant `role` exactly what this module lists. Run by the owner after each migration.

    A model may have no table: after a migration that went only so far, or back.
    """
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        tables = frozenset(connection.introspection.table_names(cursor))
        for statement in statements(quote, role, tables):
            cursor.execute(statement)


def statements(quote: Any, role: str, tables: frozenset[str]) -> list[str]:
    """The GRANT and REVOKE statements for the tables that are there, in order."""
    name = quote(role)
    out = [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {name}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        f"GRANT USAGE ON SCHEMA public TO {name}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}",
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {name}",
    ]
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table not in tables:  # noqa: SLF001  Django's public name for it
            continue
        table = quote(model._meta.db_table)  # noqa: SLF001
        label = model._meta.label  # noqa: SLF001
        if model._meta.app_label in FREE_APPS:  # noqa: SLF001
            out.append(f"GRANT INSERT, UPDATE, DELETE ON {table} TO {name}")
            continue
        if label == "operations.AuditEntry":
            columns = ", ".join(quote(c) for c in AUDIT_COLUMNS.split())
            out.append(f"GRANT INSERT ({columns}) ON {table} TO {name}")
            continue
        out.append(f"GRANT INSERT ON {table} TO {name}")
        if label in UPDATABLE:
            columns = ", ".join(quote(c) for c in UPDATABLE[label].split())
            out.append(f"GRANT UPDATE ({columns}) ON {table} TO {name}")
    return out
