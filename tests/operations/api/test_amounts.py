"""Amounts: what can't be one in its currency never gets as far as a person or a receiver."""

from typing import Any

import pytest

from operations.models import Approval, Operation
from tests.operations.api.caller import ApiCaller

pytestmark = pytest.mark.django_db

REFUND: dict[str, Any] = {"order": "o-1", "currency": "EUR", "reason": "late"}


def ask(agent: ApiCaller, amount: object, currency: str = "EUR") -> Any:
    payload = {**REFUND, "amount": amount, "currency": currency}
    return agent.register(kind="payment.refund", payload=payload)


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        ("-5.00", "EUR", "more than 0"),
        ("0", "EUR", "more than 0"),
        ("0.001", "EUR", "at most 2 decimals in EUR"),
        ("1e-9", "EUR", "a decimal"),
        ("99999999999999999999", "EUR", "less than 1000000000000000"),
        ("500.50", "JPY", "at most 0 decimals in JPY"),
        ("1.0005", "KWD", "at most 3 decimals in KWD"),
        ("5.00", "EURO", "an ISO 4217 code"),
    ],
)
def test_an_amount_that_is_none_is_refused_and_nobody_is_asked(
    agent: ApiCaller, amount: str, currency: str, expected: str
) -> None:
    """Case 131: a bound above is not enough."""
    answer = ask(agent, amount, currency)
    assert answer.is_problem(422, "invalid_payload")
    assert expected in answer["detail"]
    assert (Operation.objects.count(), Approval.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("amount", "currency"), [("500", "JPY"), ("0.01", "EUR"), ("1.005", "KWD"), ("99.90", "EUR")]
)
def test_an_amount_in_its_currencys_decimals_is_taken(
    agent: ApiCaller, amount: str, currency: str
) -> None:
    assert ask(agent, amount, currency).status == 201
