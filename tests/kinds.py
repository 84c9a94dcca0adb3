"""A kind for payloads of any shape, beside those of opsconsole.toml."""

from dataclasses import replace

from pytest_django.fixtures import Settings

from operations.protocol.kinds import Kind

ANYTHING = "any.thing"


def allow_anything(settings: Settings) -> None:
    """Configure the kind for one test."""
    kind = Kind(name=ANYTHING, title="Anything", schema={"type": "object"})
    kinds = {**settings.OPSCONSOLE.kinds, ANYTHING: kind}
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, kinds=kinds)
