"""What is configured: environments, kinds, receivers and policies, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from django.conf import settings

from operations.protocol.kinds import money, too_fine_amount
from operations.protocol.payloads import JSON, Money
from operations.protocol.profiles import Profile
from operations.protocol.refusals import UnknownEnvironment, UnknownKind, UnknownReceiver

if TYPE_CHECKING:
    from operations.protocol.kinds import Kind, Mistake
    from operations.protocol.policies import Policy
    from operations.receivers.base import ReceiverConfig

REQUESTS_PER_MINUTE = 6_000
# The environment of the drills. It is built in, and shared with nobody else's work: ordinary lists,
# counts and metrics leave it out, and only tokens that name it reach it.
DRILL = "drill"
# Whose name its operations and its token carry: an agent's and, behind it, a person's.
DRILL_AGENT = "opsconsole-drill"


class HasReceiver(Protocol):
    """Whatever names a receiver in an environment; an operation does."""

    environment: str
    receiver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All of opsconsole.toml. `receivers` is keyed by (environment, receiver name).

    `statements` holds profiles of statements by name; what reads them knows their type.
    `drill` is what the environment of the drills has instead; None where no sandbox is configured.
    """

    environments: tuple[str, ...]
    kinds: "dict[str, Kind]"
    receivers: "dict[tuple[str, str], ReceiverConfig]"
    policies: "tuple[Policy, ...]" = ()
    statements: Mapping[str, object] = field(default_factory=dict)
    digest: str = ""
    api_requests_per_minute: int = REQUESTS_PER_MINUTE
    drill: "Configuration | None" = None


def configuration() -> Configuration:
    """The configuration this process was started with."""
    return settings.OPSCONSOLE


def configuration_of(environment_name: str) -> Configuration:
    """What holds in that environment: the drills' own in theirs, the file's everywhere else."""
    settled = configuration()
    return settled.drill if environment_name == DRILL and settled.drill else settled


def has_environment(name: str) -> bool:
    """Whether there is such an environment, that of the drills included."""
    return name in configuration_of(name).environments


def environment(name: str) -> str:
    """`name`, when there is such an environment. Raises UnknownEnvironment."""
    if not has_environment(name):
        known = configuration().environments
        raise UnknownEnvironment(field="environment", expected=", ".join(known), got=name)
    return name


def kind(name: str, environment_name: str = "") -> "Kind":
    """The kind called `name` in an environment; without one, of the file. Raises UnknownKind."""
    known = configuration_of(environment_name).kinds
    if name not in known:
        raise UnknownKind(field="kind", expected=", ".join(sorted(known)), got=name)
    return known[name]


def receiver(name: str, environment_name: str) -> "ReceiverConfig":
    """The receiver `name` as configured in one environment. Raises UnknownReceiver."""
    known = configuration_of(environment_name).receivers
    found = known.get((environment_name, name))
    if found is None:
        names = sorted(r for e, r in known if e == environment_name)
        raise UnknownReceiver(field="receiver", expected=", ".join(names), got=name)
    return found


def knows(*, environment: str, kind: str, receiver: str) -> bool:
    """Whether all three names are configured, the receiver in that environment."""
    known = configuration_of(environment)
    return kind in known.kinds and (environment, receiver) in known.receivers


def profile_of(operation: HasReceiver) -> Profile:
    """The profile of an operation's receiver; one that promises nothing where it is gone.

    A receiver that was taken out of the configuration leaves its operations readable.
    """
    found = receiver_of(operation)
    return found.profile if found else Profile(receiver=operation.receiver, connector="")


def receiver_of(operation: HasReceiver) -> "ReceiverConfig | None":
    """An operation's receiver as it is configured now; None where it is gone."""
    there = configuration_of(operation.environment).receivers
    return there.get((operation.environment, operation.receiver))


def money_of(kind_name: str, payload: JSON) -> Money | None:
    """The payload's amount, or None where the kind has none or is not configured any more."""
    found = configuration().kinds.get(kind_name)
    return money(found, payload) if found else None


def too_fine_amount_of(kind_name: str, payload: JSON, *, currency: str) -> "Mistake | None":
    """An amount with more decimals than its currency has; None where the kind is gone, too."""
    found = configuration().kinds.get(kind_name)
    return too_fine_amount(found, payload, currency=currency) if found else None


def policies(environment_name: str) -> "tuple[Policy, ...]":
    """The approval policies that an environment's requests are held against, in their order."""
    return configuration_of(environment_name).policies
