"""A receiver without an interface: people ask it, and people enter what it said."""

from operations.receivers.base import ConfigMistake, ReceiverConfig


def build(config: ReceiverConfig) -> None:
    """No connector: nothing is sent or looked up from here.

    Raises ConfigMistake for a configuration that claims an interface.
    """
    for field_name, got in (
        ("base_url", config.base_url),
        ("credentials", ", ".join(sorted(config.credentials))),
        ("has_lookup", "true" if config.profile.has_lookup else ""),
    ):
        if got:
            expected = "none, since a manual receiver has no interface"
            raise ConfigMistake(field_name=field_name, expected=expected, got=got)
