"""`manage.py create_token`: a secret on standard output, everything else beside it."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from operations.models import Agent, ApiToken, AuditEntry
from tests.build import a_person
from tests.operations.api.caller import ApiCaller

pytestmark = pytest.mark.django_db


def create(**options: Any) -> str:
    out, err = StringIO(), StringIO()
    given = {"agent": "agent-1", "owner": "olga", **options}
    call_command("create_token", stdout=out, stderr=err, **given)
    assert out.getvalue().strip() not in err.getvalue()
    return out.getvalue().strip()


@pytest.fixture(autouse=True)
def olga(db: None) -> None:
    a_person("olga")


def test_the_printed_secret_opens_the_api() -> None:
    secret = create(environments="staging", kinds="supplier.order, customer.email")
    caller = ApiCaller(token=ApiToken.objects.get(), secret=secret)
    assert caller.register(environment="staging").status == 201
    assert caller.register().is_problem(403, "not_permitted")
    assert caller.token.kinds == ["supplier.order", "customer.email"]


def test_an_agent_is_made_once_and_its_first_owner_is_responsible() -> None:
    a_person("ben")
    create()
    create(owner="ben")
    assert Agent.objects.get().responsible.username == "olga"
    assert {token.owner.username for token in ApiToken.objects.all()} == {"olga", "ben"}


def test_a_new_token_is_an_entry_in_the_trail() -> None:
    secret = create()
    entry = AuditEntry.objects.get(event="create_token")
    assert entry.detail["agent"] == "agent-1"
    assert secret not in str(entry.detail)


@pytest.mark.parametrize(
    ("expires", "is_endless"), [("30d", False), ("2999-12-31", False), ("never", True)]
)
def test_a_token_ends_when_it_is_told_to(expires: str, is_endless: bool) -> None:
    create(expires=expires)
    assert (ApiToken.objects.get().expires_at is None) is is_endless


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"owner": "nobody"}, "--owner"),
        ({"environments": "nowhere"}, "nowhere"),
        ({"kinds": "nothing"}, "nothing"),
        ({"receivers": "noone"}, "noone"),
        ({"expires": "soon"}, "--expires"),
        ({"expires": "2001-01-01"}, "expires"),
        ({"agent": " "}, "agent"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, str], named: str) -> None:
    with pytest.raises(CommandError, match=named):
        create(**options)
    assert not ApiToken.objects.exists()
