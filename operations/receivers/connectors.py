"""From a receiver's configuration to its connector."""

from operations.receivers import manual, sandbox
from operations.receivers.base import ConfigMistake, Receiver, ReceiverConfig

BUILDERS = {"manual": manual.build, "sandbox": sandbox.build}


def connector(config: ReceiverConfig) -> Receiver | None:
    """The connector that the profile names, or None where the receiver has no interface.

    Raises ConfigMistake with the field, what was expected and what was got.
    """
    name = config.profile.connector
    if name not in BUILDERS:
        expected = f"one of {', '.join(BUILDERS)}"
        raise ConfigMistake(field_name="connector", expected=expected, got=repr(name))
    return BUILDERS[name](config)
