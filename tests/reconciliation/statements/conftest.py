"""The forms of files that these tests use."""

import pytest
from pytest_django.fixtures import Settings

from tests.reconciliation.statements.importing import ORDERS, declare


@pytest.fixture(autouse=True)
def _forms(settings: Settings) -> None:
    declare(settings, ORDERS)
