"""What the agents of the soak bring about, and what the receiver does to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.campaigns.surroundings.agents import order

type Faults = Mapping[str, float | None]

# Kinds of errands, and how many of a hundred; the kind is a part of the key.
SHARES = {
    "client": 34,  # an agent with the Python client
    "bare": 16,  # one on bare HTTP
    "console": 20,  # the console sends
    "refund": 7,  # one approval, sent by the agent
    "console-large": 5,  # two approvals, sent by the console
    "withdraw": 6,
    "keyless": 8,  # to a receiver without keys
    "phone": 4,  # to one that can only be telephoned
}
KEY = re.compile(rf"-({'|'.join(sorted(SHARES, reverse=True))})-\d+$")
RECEIVERS = {"keyless": "keyless", "phone": "manual"}
# What the receiver does, and how often among a hundred; the others go well. Its delays stay within
# what its profile promises.
CHANCES: tuple[tuple[Faults, int], ...] = (
    ({"lose_reply": None}, 6),
    ({"reset": None}, 3),
    ({"answer_late": 3.5}, 3),
    ({"commit_late": 1.0}, 4),
    ({"error_after_commit": None}, 3),
    ({"garbage_reply": None}, 2),
    ({"hang": 4.0}, 5),  # nothing is made, and nobody is told: what is left to people
    ({"redirect": None}, 1),
    ({"refuse": None}, 4),
    ({"duplicate": None}, 1),
    ({"pending": 2.0}, 2),
    ({"change_payload": None}, 1),
    ({"hide_lookup": None}, 2),
    ({"hide_lookup": None, "lose_reply": None}, 3),
    ({"webhook_early": None}, 4),
    ({"webhook_late": 2.0, "lose_reply": None}, 4),
    ({"webhook_twice": None}, 3),
    ({"webhook_reordered": None}, 2),
    ({"webhook_wrong_environment": None}, 1),
)
# Those without keys or hooks of their own lose answers only.
LOST: Faults = {"lose_reply": None}
LOST_OF_A_HUNDRED = 30
REFUND = {"currency": "EUR", "reason": "damaged in transit"}
AMOUNTS = {"refund": "150.00", "console-large": "1500.00"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One effect to bring about under its key, and the faults that meet it."""

    kind: str
    key: str
    faults: Faults


def draw(random: Random, prefix: str, number: int) -> Errand:
    """The next errand; its key tells whose it is, its kind and its number."""
    [kind] = random.choices(list(SHARES), list(SHARES.values()))
    return Errand(kind=kind, key=f"{prefix}-{kind}-{number}", faults=_faults(random, kind))


def kind_of(key: str) -> str:
    """The kind of the errand that has this key."""
    found = KEY.search(key)
    assert found, f"expected a key of the soak, got {key}"
    return found[1]


def _faults(random: Random, kind: str) -> Faults:
    if kind in RECEIVERS:
        return LOST if random.randrange(100) < LOST_OF_A_HUNDRED else {}
    chances = [chance for _, chance in CHANCES]
    [faults] = random.choices([{}, *(each for each, _ in CHANCES)], [100 - sum(chances), *chances])
    return faults


def registration(key: str) -> dict[str, Any]:
    """What is asked of the console under this key: always the same."""
    kind = kind_of(key)
    asked = order(key)
    if kind in AMOUNTS:
        payload = {"order": key, "amount": AMOUNTS[kind], **REFUND}
        asked |= {"kind": "payment.refund", "payload": payload}
    asked["receiver"] = RECEIVERS.get(kind, asked["receiver"])
    return asked


CONFIGURATION = """
[receivers.keyless]
connector = "sandbox"
has_lookup = true
lookup_lag_seconds = 1
delivery_delay_seconds = 3
send_within_seconds = 3
lookup_interval_seconds = 1
definite_refusals = [{ status = 422, code = "order_refused" }]

[receivers.keyless.environments.production]
base_url = { env = "SANDBOX_URL", default = "http://127.0.0.1:8090" }
"""
