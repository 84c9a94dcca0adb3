"""The grants of the run-time role name tables that are there, and evidence gets INSERT alone."""

import re

from operations.grants import statements


def granted(*tables: str) -> dict[str, list[str]]:
    """What is granted on each table, in words."""
    told: dict[str, list[str]] = {}
    for line in statements(lambda name: name, "runtime", frozenset(tables)):
        if found := re.fullmatch(r"GRANT (.+) ON (\w+) TO runtime", line):
            told.setdefault(found[2], []).append(found[1])
    return told


def test_a_model_without_a_table_gets_none():
    assert granted("reconciliation_drillrun") == {"reconciliation_drillrun": ["INSERT"]}


def test_what_may_change_is_granted_column_by_column():
    found = granted("operations_halt", "operations_receipt")
    assert found["operations_receipt"] == ["INSERT", "UPDATE (operation_id)"]
    assert found["operations_halt"] == ["INSERT", "UPDATE (lifted_at, lifted_by_id, lift_reason)"]
