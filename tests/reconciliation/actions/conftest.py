"""The configured sandbox for every test here."""

import pytest
from pytest_django.fixtures import Settings

from tests.receiver import configure, sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]


@pytest.fixture(autouse=True)
def _webhook_secret(settings: Settings) -> None:
    configure(settings)
