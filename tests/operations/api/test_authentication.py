"""Who may call: bearer tokens, their ends, their scope, and their rate."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from operations import clock
from operations.api.rate import Rate
from operations.models import Agent, ApiToken, AuditEntry
from operations.protocol.refusals import RateLimited
from tests.build import a_person
from tests.operations.api.caller import ApiCaller, a_body, a_caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer nope", "Basic b3A6c2VjcmV0", "oc_x", "Bearer \xff"]
)
def test_a_request_without_a_known_token_is_unauthenticated(agent: ApiCaller, header: str) -> None:
    answer = agent.call("GET", "/operations", HTTP_AUTHORIZATION=header)
    assert answer.is_problem(401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "nope" not in str(answer.json)


def test_a_signed_in_person_is_no_agent(db: None) -> None:
    client = Client()
    client.force_login(a_person("olga", "operator"))
    assert client.get("/api/v1/operations").status_code == 401


@pytest.mark.parametrize("column", ["expires_at", "revoked_at"])
def test_a_token_ends(agent: ApiCaller, column: str) -> None:
    ended_at = clock.now() - timedelta(seconds=1)
    ApiToken.objects.filter(pk=agent.token.pk).update(**{column: ended_at})
    answer = agent.get("/operations")
    assert answer.is_problem(401, "unauthenticated")
    assert {"expires_at": "expired", "revoked_at": "revoked"}[column] in answer["got"]


def test_a_token_that_expires_later_still_works(db: None) -> None:
    caller = a_caller("agent-1", expires_at=clock.now() + timedelta(minutes=1))
    assert caller.get("/operations").status == 200


def test_a_disabled_agent_is_unauthenticated(agent: ApiCaller) -> None:
    Agent.objects.update(is_active=False)
    assert agent.get("/operations").is_problem(401, "unauthenticated")


def test_a_token_of_a_person_who_left_is_unauthenticated(agent: ApiCaller) -> None:
    User.objects.update(is_active=False)
    assert agent.get("/operations").is_problem(401, "unauthenticated")


def test_only_the_digest_of_a_token_is_kept(agent: ApiCaller) -> None:
    row = ApiToken.objects.values().get()
    assert agent.secret.startswith("oc_")
    assert agent.secret not in str(row)
    assert row["prefix"] == agent.secret[:9]


def test_the_last_use_is_written_at_most_once_a_minute(agent: ApiCaller) -> None:
    agent.get("/operations")
    first = ApiToken.objects.get().last_used_at
    agent.get("/operations")
    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    agent.get("/operations")
    assert ApiToken.objects.get().last_used_at >= first


@pytest.mark.parametrize(
    ("scope", "given"),
    [
        ({"environments": ("staging",)}, {}),
        ({"kinds": ("customer.email",)}, {}),
        ({"receivers": ("manual",)}, {}),
    ],
)
def test_a_token_reaches_no_further_than_its_scope(
    scope: dict[str, tuple[str, ...]], given: dict[str, str]
) -> None:
    owner = a_person()
    whole, narrow = a_caller("agent-1", owner=owner), a_caller("agent-1", owner=owner, **scope)
    operation = whole.registered()
    answer = narrow.post("/operations", a_body(**given))
    assert answer.is_problem(403, "not_permitted")
    assert narrow.get(f"/operations/{operation['id']}").is_problem(403, "not_permitted")
    assert narrow.claim(operation).is_problem(403, "not_permitted")
    assert narrow.get("/operations")["items"] == []
    assert AuditEntry.objects.filter(stream="access", event="not_permitted").count() == 3


def test_a_token_reaches_all_of_its_scope(db: None) -> None:
    caller = a_caller("agent-1", environments=("staging",), kinds=("supplier.order",))
    assert caller.register(environment="staging").status == 201
    answer = caller.get("/operations?environment=production")
    assert answer.is_problem(403, "not_permitted")


def test_an_unknown_word_comes_before_the_scope(db: None) -> None:
    caller = a_caller("agent-1", environments=("staging",))
    assert caller.register(environment="nowhere").is_problem(422, "unknown_environment")


def test_a_runaway_loop_is_told_to_wait(agent: ApiCaller, settings) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, api_requests_per_minute=3)
    answers = [agent.get("/operations") for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert answers[3].is_problem(429, "rate_limited")
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 20


def test_a_bucket_fills_again_and_each_token_has_its_own() -> None:
    now = [0.0]
    rate = Rate(per_minute=lambda: 2, clock=lambda: now[0])
    rate.take(1)
    rate.take(1)
    rate.take(2)
    with pytest.raises(RateLimited) as refused:
        rate.take(1)
    assert refused.value.members["retry_after_seconds"] == 30
    now[0] += 30
    rate.take(1)
