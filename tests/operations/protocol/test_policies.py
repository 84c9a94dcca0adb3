import json
from dataclasses import replace
from decimal import Decimal

import pytest

from operations.protocol.payloads import JSON, Money, Number, parse_json
from operations.protocol.policies import Policy, policy_mistakes, required_policy

ONE = Policy(
    name="refunds from 100",
    kinds=("payment.refund",),
    currency="EUR",
    amount_from=Decimal("100.00"),
)
TWO = replace(ONE, name="refunds from 1000", amount_from=Decimal("1000.00"), needed=2)
STOCK = Policy(name="vanilla", kinds=("supplier.order",), equals={"/sku": "vanilla"})


def policy_of(
    money: Money | None,
    *policies: Policy,
    kind: str = "payment.refund",
    environment: str = "production",
    payload: JSON = None,
) -> str | None:
    found = required_policy(
        policies or (ONE, TWO, STOCK),
        kind=kind,
        environment=environment,
        receiver="sandbox",
        agent="agent-1",
        payload=payload or {},
        money=money,
    )
    return found.name if found else None


def euros(amount: str) -> Money:
    return Money(Decimal(amount), "EUR", "/amount")


@pytest.mark.parametrize(
    ("amount", "name"),
    [
        ("0.01", None),
        ("99.99", None),
        ("100", ONE.name),
        ("100.00", ONE.name),
        ("999.99", ONE.name),
        ("1000", TWO.name),
        ("999999999999999", TWO.name),
    ],
)
def test_a_threshold_is_inclusive_and_exact(amount: str, name: str | None) -> None:
    assert policy_of(euros(amount)) == name


def test_a_currency_that_no_policy_names_takes_the_strictest() -> None:
    assert policy_of(Money(Decimal("0.01"), "USD", "/amount")) == TWO.name


def test_a_missing_amount_takes_the_strictest() -> None:
    assert policy_of(None) == TWO.name


def test_a_currency_that_some_policy_names_follows_it_alone() -> None:
    dollars = replace(ONE, name="dollars", currency="USD", amount_from=Decimal(500))
    assert policy_of(Money(Decimal(499), "USD", ""), ONE, TWO, dollars) is None
    assert policy_of(Money(Decimal(500), "USD", ""), ONE, TWO, dollars) == "dollars"


def test_other_kinds_environments_receivers_and_agents_are_out_of_scope() -> None:
    assert policy_of(None, kind="customer.email") is None
    assert policy_of(euros("5000"), replace(ONE, environments=("staging",))) is None
    assert policy_of(euros("5000"), replace(ONE, receivers=("stripe",))) is None
    assert policy_of(euros("5000"), replace(ONE, agents=("agent-2",))) is None
    assert policy_of(euros("5000"), replace(ONE, agents=("agent-2", "agent-1"))) == ONE.name


def test_a_policy_without_matchers_is_for_everything() -> None:
    assert policy_of(None, Policy(name="all"), kind="customer.email") == "all"


@pytest.mark.parametrize(
    ("payload", "name"),
    [('{"sku":"vanilla"}', "vanilla"), ('{"sku":"lemon"}', None), ('{"other":1}', "vanilla")],
)
def test_a_payload_value_may_decide_and_a_missing_one_is_taken_strictly(
    payload: str, name: str | None
) -> None:
    assert policy_of(None, kind="supplier.order", payload=parse_json(payload)) == name


def test_values_are_equal_under_rule_p() -> None:
    ten = Policy(name="ten", equals={"/n": 10})
    assert policy_of(None, ten, payload=parse_json('{"n":1e1}')) == "ten"
    assert policy_of(None, ten, payload=parse_json('{"n":"10"}')) is None
    one = Policy(name="one", equals={"/n": 1})
    assert policy_of(None, one, payload=parse_json('{"n":true}')) is None


def test_of_equally_many_people_the_shorter_validity_is_stricter() -> None:
    short = replace(ONE, name="short", yes_lives_seconds=60)
    assert policy_of(euros("200"), ONE, short) == policy_of(euros("200"), short, ONE) == "short"


def test_a_policy_survives_being_kept_as_json() -> None:
    policy = replace(TWO, equals={"/n": Number("1.50"), "/s": None}, sentence="Two people.")
    kept = json.loads(json.dumps(policy.as_json()))
    assert Policy.from_json(kept) == policy


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"needed": 0}, "needed"),
        ({"request_lives_seconds": 0}, "request_lives_seconds"),
        ({"yes_lives_seconds": -1}, "yes_lives_seconds"),
        ({"currency": None}, "currency"),
        ({"currency": "EURO"}, "currency"),
        ({"equals": {"/rate": 0.5}}, "equals./rate"),
    ],
)
def test_an_unsound_policy_is_told(change: dict[str, object], field: str) -> None:
    assert [mistake[0] for mistake in policy_mistakes(replace(ONE, **change))] == [field]  # type: ignore[arg-type]
    assert policy_mistakes(ONE) == []
