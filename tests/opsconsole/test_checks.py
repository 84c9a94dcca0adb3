"""The system checks fail on what they are there for, and only on that."""

import pytest
from django.db import connection

from opsconsole import checks


def test_our_own_settings_pass():
    assert checks.policy_allows_no_inline_code(None) == []
    assert checks.requests_open_no_transaction(None) == []
    assert checks.there_is_something_to_record(None) == []


@pytest.mark.parametrize(
    "policy",
    [
        {"script-src": ["'self'", "'unsafe-inline'"], "style-src": ["'self'"]},
        {"script-src": ["'self'"], "style-src": ["*"]},
        {"script-src": ["'self'"]},
    ],
)
def test_a_policy_with_a_hole_is_an_error(settings, policy):
    settings.SECURE_CSP = policy
    assert [problem.id for problem in checks.policy_allows_no_inline_code(None)] == [
        "opsconsole.E001"
    ]


def test_atomic_requests_are_an_error(settings, monkeypatch):
    monkeypatch.setitem(settings.DATABASES["default"], "ATOMIC_REQUESTS", True)
    assert [problem.id for problem in checks.requests_open_no_transaction(None)] == [
        "opsconsole.E002"
    ]


@pytest.mark.django_db
def test_a_server_without_fsync_is_an_error():
    # This run's own server is one.
    problems = checks.commits_are_durable(None, databases=["default"])
    assert {problem.id for problem in problems} == {"opsconsole.E004"}
    assert "PostgreSQL's fsync: expected on; got off." in {problem.msg for problem in problems}


def test_an_old_server_is_an_error():
    found = dict(checks.DURABLE, server_version_num="160009")
    assert [problem.id for problem in checks._version_problems(found)] == ["opsconsole.E003"]
    assert checks._durability_problems(found) == []


@pytest.mark.django_db
def test_a_role_without_limits_behind_a_pooler_is_an_error(settings):
    def missing() -> list[str]:
        found = checks.sessions_behind_a_pooler_have_limits(None, databases=["default"])
        return [problem.msg.split(" for ")[0] for problem in found]

    settings.DATABASE_POOLER = "transaction"
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = 0")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '30s'")
    assert missing() == ["PostgreSQL's lock_timeout"]
    settings.DATABASE_POOLER = "none"
    assert missing() == []
