"""What the stripe connector alone is told, and what in a profile it can not keep."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import NamedTuple

from operations.protocol.json_values import pointer_names
from operations.protocol.profiles import Profile, RefusalRule
from operations.receivers.stripe_words import NEVER_DEFINITE, UNCODED

# https://docs.stripe.com/api/idempotent_requests: keys may go once they are 24 hours old.
KEYS_KEPT_SECONDS = 86_400


class Made(StrEnum):
    """What an operation makes at Stripe."""

    REFUND = "refund"
    PAYMENT_INTENT = "payment_intent"


class Mistake(NamedTuple):
    """A setting that does not hold: its name, what was expected, what stands there."""

    field: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeSettings:
    """What to make, and where in the payload its parts stand (JSON pointers).

    `references` maps what names another object at Stripe (`charge` or `payment_intent` of a
    refund; `payment_method` and perhaps `customer` of a payment intent) to its pointer.
    `search_limit` is how many objects one lookup may read. Objects of `live_environments` are
    live ones, those of every other environment are not.
    """

    makes: Made
    amount_pointer: str
    currency_pointer: str
    references: dict[str, str]
    payment_method_types: tuple[str, ...] = ("card",)
    search_limit: int = 1000
    live_environments: tuple[str, ...] = ()

    @property
    def places(self) -> dict[str, str]:
        """What Stripe's own object carries back of a payload, and the place of each there."""
        return {
            "amount": self.amount_pointer,
            "currency": self.currency_pointer,
            **self.references,
        }


def settings_mistakes(settings: StripeSettings) -> list[Mistake]:
    """What contradicts itself in the settings; empty when they are usable."""
    names = set(settings.references)
    if settings.makes is Made.REFUND and len(names) != 1:
        expected = "payment_intent_pointer or charge_pointer, and not both"
        return [Mistake("payment_intent_pointer", expected, _listed(names))]
    if settings.makes is Made.PAYMENT_INTENT and "payment_method" not in names:
        return [Mistake("payment_method_pointer", "a JSON pointer", "nothing")]
    mistakes = [
        Mistake(f"{name}_pointer", "a JSON pointer such as /amount", repr(pointer))
        for name, pointer in settings.places.items()
        if not _is_place(pointer)
    ]
    for (name, one), (_, other) in permutations(settings.places.items(), 2):
        if not mistakes and f"{one}/".startswith(f"{other}/"):
            expected = f"a place of its own, apart from {other}"
            mistakes.append(Mistake(f"{name}_pointer", expected, one))
    return mistakes


def profile_mistakes(profile: Profile, settings: StripeSettings) -> list[Mistake]:
    """What the profile claims of Stripe that does not hold there.

    Its objects carry no more of a payload than the pointers of the settings, and its keys are
    kept for a day; and not every error that it answers is a definite no (rule 6).
    """
    mistakes = []
    fields = set(profile.significant_fields or ())
    places = set(settings.places.values())
    if fields != places:
        expected = f"{_listed(places)}, which is what Stripe's own objects carry"
        mistakes.append(Mistake("significant_fields", expected, _listed(fields)))
    window = profile.dedup_window_seconds
    if window is not None and window > KEYS_KEPT_SECONDS:
        expected = f"at most {KEYS_KEPT_SECONDS}, as long as Stripe keeps a key"
        mistakes.append(Mistake("dedup_window_seconds", expected, str(window)))
    for rule in profile.definite_refusals:
        expected = _broken_refusal_rule(rule)
        if expected:
            mistakes.append(Mistake("definite_refusals", expected, f"{rule.status} {rule.code}"))
    return mistakes


def _broken_refusal_rule(rule: RefusalRule) -> str:
    if rule.code is None:
        return "a code beside the status, which Stripe shares among errors of every kind"
    if rule.code in NEVER_DEFINITE:
        return f"a definite no, unlike {rule.code}: {NEVER_DEFINITE[rule.code]}"
    if rule.code == UNCODED and rule.status != 400:
        return f"status 400 beside {UNCODED}, the type of many other answers too"
    return ""


def _is_place(pointer: str) -> bool:
    try:
        return bool(pointer_names(pointer))
    except ValueError:
        return False


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
