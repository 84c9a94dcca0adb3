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


def test_environments_and_receivers_that_are_named_are_in_scope() -> None:
    assert policy_of(euros("5000"), replace(ONE, environments=("production",))) == ONE.name
    assert policy_of(euros("5000"), replace(ONE, receivers=("sandbox",))) == ONE.name


def test_a_policy_asks_for_one_approver_within_a_day_and_holds_for_an_hour() -> None:
    policy = Policy(name="all")
    assert (policy.needed, policy.role, policy.sentence) == (1, "approver", "")
    assert (policy.request_lives_seconds, policy.yes_lives_seconds) == (24 * 3600, 3600)


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


def test_of_equal_validity_the_request_that_lives_shorter_is_stricter() -> None:
    short = replace(ONE, name="short", request_lives_seconds=60)
    assert policy_of(euros("200"), ONE, short) == policy_of(euros("200"), short, ONE) == "short"


def test_a_policy_survives_being_kept_as_json() -> None:
    policy = replace(
        TWO,
        environments=("production",),
        receivers=("sandbox",),
        agents=("agent-1",),
        equals={"/n": Number("1.50"), "/s": None},
        role="treasurer",
        request_lives_seconds=600,
        yes_lives_seconds=60,
        sentence="Two people.",
    )
    for each in (policy, Policy(name="all")):
        kept = json.loads(json.dumps(each.as_json()))
        assert Policy.from_json(kept) == each
    assert kept["amount_from"] is None


AN_ISO_CODE = "an ISO 4217 code such as EUR"


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({"needed": 0}, ("needed", "at least 1", "0")),
        ({"request_lives_seconds": 0}, ("request_lives_seconds", "at least 1", "0")),
        ({"yes_lives_seconds": -1}, ("yes_lives_seconds", "at least 1", "-1")),
        ({"currency": None}, ("currency", "the currency of amount_from", "none")),
        ({"currency": "EURO"}, ("currency", AN_ISO_CODE, "EURO")),
        (
            {"currency": "JPY", "amount_from": Decimal("500.50")},
            ("amount_from", "at most 0 decimals in JPY", "500.50"),
        ),
        ({"amount_from": Decimal("1e-9")}, ("amount_from", "at most 2 decimals in EUR", "1E-9")),
        ({"amount_from": Decimal(-5)}, ("amount_from", "0 or more", "-5")),
        ({"amount_from": Decimal("Infinity")}, ("amount_from", "0 or more", "Infinity")),
        (
            {"equals": {"/rate": 0.5, "/sku": "vanilla"}},
            ("equals./rate", "a JSON value without floats", "0.5"),
        ),
    ],
)
def test_an_unsound_policy_is_told(
    change: dict[str, object], mistake: tuple[str, str, str]
) -> None:
    assert policy_mistakes(replace(ONE, **change)) == [mistake]  # type: ignore[arg-type]


def test_sound_policies_have_no_mistakes() -> None:
    least = replace(ONE, needed=1, request_lives_seconds=1, yes_lives_seconds=1)
    assert policy_mistakes(least) == policy_mistakes(Policy(name="all")) == []
    assert policy_mistakes(STOCK) == []
