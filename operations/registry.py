"""What is configured: environments, kinds, receivers and policies, as frozen values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.conf import settings

from operations.protocol.kinds import money
from operations.protocol.payloads import JSON, Money
from operations.protocol.profiles import Profile
from operations.protocol.refusals import UnknownEnvironment, UnknownKind, UnknownReceiver

if TYPE_CHECKING:
    from operations.protocol.kinds import Kind
    from operations.protocol.policies import Policy
    from operations.receivers.base import ReceiverConfig

REQUESTS_PER_MINUTE = 6_000


class HasReceiver(Protocol):
    """Whatever names a receiver in an environment; an operation does."""

    environment: str
    receiver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All of opsconsole.toml. `receivers` is keyed by (environment, receiver name)."""

    environments: tuple[str, ...]
    kinds: "dict[str, Kind]"
    receivers: "dict[tuple[str, str], ReceiverConfig]"
    policies: "tuple[Policy, ...]" = ()
    digest: str = ""
    api_requests_per_minute: int = REQUESTS_PER_MINUTE


def configuration() -> Configuration:
    """The configuration this process was started with."""
    return settings.OPSCONSOLE


def environment(name: str) -> str:
    """`name`, when it is configured. Raises UnknownEnvironment."""
    known = configuration().environments
    if name not in known:
        raise UnknownEnvironment(field="environment", expected=", ".join(known), got=name)
    return name


def kind(name: str) -> "Kind":
    """The kind called `name`. Raises UnknownKind."""
    known = configuration().kinds
    if name not in known:
        raise UnknownKind(field="kind", expected=", ".join(sorted(known)), got=name)
    return known[name]


def receiver(name: str, environment_name: str) -> "ReceiverConfig":
    """The receiver `name` as configured in one environment. Raises UnknownReceiver."""
    known = configuration().receivers
    found = known.get((environment_name, name))
    if found is None:
        names = sorted(r for e, r in known if e == environment_name)
        raise UnknownReceiver(field="receiver", expected=", ".join(names), got=name)
    return found


def knows(*, environment: str, kind: str, receiver: str) -> bool:
    """Whether all three names are configured, the receiver in that environment."""
    known = configuration()
    return kind in known.kinds and (environment, receiver) in known.receivers


def profile_of(operation: HasReceiver) -> Profile:
    """The profile of an operation's receiver; one that promises nothing where it is gone.

    A receiver that was taken out of the configuration leaves its operations readable.
    """
    found = configuration().receivers.get((operation.environment, operation.receiver))
    return found.profile if found else Profile(receiver=operation.receiver, connector="")


def money_of(kind_name: str, payload: JSON) -> Money | None:
    """The payload's amount, or None where the kind has none or is not configured any more."""
    found = configuration().kinds.get(kind_name)
    return money(found, payload) if found else None


def policies() -> "tuple[Policy, ...]":
    """The approval policies, in the order of the file."""
    return configuration().policies
