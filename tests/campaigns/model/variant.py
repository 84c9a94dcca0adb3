"""What a variant is: a world, the rules in it, and what is expected to come of them."""

from dataclasses import dataclass
from enum import Enum

from tests.campaigns.model.promises import Promise
from tests.campaigns.model.switches import RULES, Rules, World


class Kind(Enum):
    """Why a variant is here."""

    CORRECT = "correct"
    SAFE = "safe"  # other rules than ours that keep the promise all the same
    BROKEN = "broken"
    LIMIT = "limit"  # our rules, in a world in which nobody can keep the promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """`breaks` is the promise whose shortest counterexample is sought; None: all must hold.

    `only`: the one promise that is judged, in a world where others can't be kept.
    """

    name: str
    kind: Kind
    world: World
    rules: Rules = RULES
    breaks: Promise | None = None
    only: Promise | None = None
