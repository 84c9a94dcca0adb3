"""Approval policies: which request needs whose yes, and how many of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

from operations.protocol.currencies import current_currencies, minor_units
from operations.protocol.payloads import (
    JSON,
    MISSING,
    Money,
    Number,
    differences,
    dumps,
    parse_json,
    resolve,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A matcher and what it asks for. An empty tuple matches any name.

    `amount_from` is inclusive and in `currency`; `equals` maps JSON pointers to values; `role`
    may approve; a request lives `request_lives_seconds`, a yes stays valid `yes_lives_seconds`.
    """

    name: str
    kinds: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    currency: str | None = None
    amount_from: Decimal | None = None
    equals: dict[str, JSON] = field(default_factory=dict)
    needed: int = 1
    role: str = "approver"
    request_lives_seconds: int = 86_400
    yes_lives_seconds: int = 3_600
    sentence: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain JSON types (decimals and values as text), to be kept with a request."""
        return {
            "name": self.name,
            "kinds": list(self.kinds),
            "environments": list(self.environments),
            "receivers": list(self.receivers),
            "agents": list(self.agents),
            "currency": self.currency,
            "amount_from": None if self.amount_from is None else str(self.amount_from),
            "equals": {pointer: dumps(value) for pointer, value in self.equals.items()},
            "needed": self.needed,
            "role": self.role,
            "request_lives_seconds": self.request_lives_seconds,
            "yes_lives_seconds": self.yes_lives_seconds,
            "sentence": self.sentence,
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        """The policy that as_json wrote; KeyError or TypeError for anything else."""
        amount_from = kept["amount_from"]
        lists = {name: tuple(kept[name]) for name in _SCOPE}
        return cls(
            **{
                **kept,
                **lists,
                "amount_from": None if amount_from is None else Number(amount_from),
                "equals": {name: parse_json(text) for name, text in kept["equals"].items()},
            }
        )


_SCOPE = ("kinds", "environments", "receivers", "agents")


def required_policy(
    policies: Iterable[Policy],
    *,
    kind: str,
    environment: str,
    receiver: str,
    agent: str,
    payload: JSON,
    money: Money | None,
) -> Policy | None:
    """The policy that a request falls under, or None if it needs nobody's yes.

    Of several the strictest holds. Where the payload leaves open whether one applies (no amount,
    a currency that none of them names, a missing field), the strictest in scope holds.
    """
    in_scope = [
        policy
        for policy in policies
        if _allows(policy.kinds, kind)
        and _allows(policy.environments, environment)
        and _allows(policy.receivers, receiver)
        and _allows(policy.agents, agent)
    ]
    if _is_open_question(in_scope, payload, money):
        return _strictest(in_scope)
    return _strictest([policy for policy in in_scope if _applies(policy, payload, money)])


def policy_mistakes(policy: Policy) -> list[tuple[str, str, str]]:
    """What makes a policy unusable, as (field, expected, got); empty when it is sound."""
    mistakes = [
        (name, "at least 1", str(getattr(policy, name)))
        for name in ("needed", "request_lives_seconds", "yes_lives_seconds")
        if getattr(policy, name) < 1
    ]
    if policy.amount_from is not None and policy.currency is None:
        mistakes.append(("currency", "the currency of amount_from", "none"))
    if policy.currency is not None and policy.currency not in current_currencies():
        mistakes.append(("currency", "an ISO 4217 code such as EUR", policy.currency))
    elif policy.amount_from is not None and policy.currency is not None:
        mistakes += _amount_mistakes(policy.amount_from, policy.currency)
    mistakes += [
        (f"equals.{pointer}", "a JSON value without floats", str(value))
        for pointer, value in policy.equals.items()
        if isinstance(value, float)
    ]
    return mistakes


def _amount_mistakes(amount: Decimal, currency: str) -> list[tuple[str, str, str]]:
    """A threshold is an amount as a payload may hold it: a slip of one digit is a policy less."""
    places, exponent = minor_units(currency), amount.as_tuple().exponent
    if not amount.is_finite() or amount < 0:
        return [("amount_from", "0 or more", str(amount))]
    if isinstance(exponent, int) and -exponent > places:
        return [("amount_from", f"at most {places} decimals in {currency}", str(amount))]
    return []


def _allows(names: tuple[str, ...], name: str) -> bool:
    return not names or name in names


def _is_open_question(in_scope: list[Policy], payload: JSON, money: Money | None) -> bool:
    currencies = {policy.currency for policy in in_scope if policy.currency is not None}
    if currencies and (money is None or money.currency not in currencies):
        return True
    return any(
        resolve(payload, pointer) is MISSING for policy in in_scope for pointer in policy.equals
    )


def _applies(policy: Policy, payload: JSON, money: Money | None) -> bool:
    if policy.currency is not None and (money is None or money.currency != policy.currency):
        return False
    if policy.amount_from is not None and (money is None or money.amount < policy.amount_from):
        return False
    return all(
        not differences(value, resolve(payload, pointer))
        for pointer, value in policy.equals.items()
    )


def _strictest(policies: list[Policy]) -> Policy | None:
    """Most people first, then the shortest validity; the first of equals in the file's order."""
    return max(
        policies,
        key=lambda policy: (
            policy.needed,
            -policy.yes_lives_seconds,
            -policy.request_lives_seconds,
        ),
        default=None,
    )
