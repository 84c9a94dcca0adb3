"""From a receiver's configuration to its connector."""

from datetime import datetime

from operations.receivers import http, manual, sandbox
from operations.receivers.base import ConfigMistake, Receiver, ReceiverConfig, Searching


def _stripe(config: ReceiverConfig) -> Receiver:
    # Stripe's package takes 15 MB and 0.2 s; a console without such a receiver needs neither.
    from operations.receivers import stripe_receiver

    return stripe_receiver.build(config)


BUILDERS = {
    "http": http.build,
    "manual": manual.build,
    "sandbox": sandbox.build,
    "stripe": _stripe,
}


def connector(config: ReceiverConfig) -> Receiver | None:
    """The connector that the profile names, or None where the receiver has no interface.

    Raises ConfigMistake with the field, what was expected and what was got.
    """
    name = config.profile.connector
    if name not in BUILDERS:
        expected = f"one of {', '.join(BUILDERS)}"
        raise ConfigMistake(field_name="connector", expected=expected, got=repr(name))
    return BUILDERS[name](config)


def narrowed(found: Receiver, *, payload_text: str, registered_at: datetime) -> Receiver:
    """The connector, told what it may look for; one that searches a list then searches less."""
    if isinstance(found, Searching):
        return found.about(payload_text=payload_text, registered_at=registered_at)
    return found
