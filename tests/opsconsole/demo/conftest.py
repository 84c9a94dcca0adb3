"""The demo's history, told once to a real sandbox, with the receivers as they are configured."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import settings

from reconciliation.sandbox.process import SandboxProcess

SECRET = "whsec_c2VjcmV0LW9mLXRoZS1kZW1vcy1zYW5kYm94LTE="


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxProcess]:
    """A sandbox at the address of the configured receiver, which later tests find as it was."""
    before = settings.OPSCONSOLE
    with SandboxProcess() as process:
        receivers = {
            place: replace(config, base_url=process.url, webhook_secret=SECRET)
            if config.name == "sandbox"
            else config
            for place, config in before.receivers.items()
        }
        settings.OPSCONSOLE = replace(before, receivers=receivers)
        yield process
        settings.OPSCONSOLE = before
