"""Two agents that call the API over HTTP, each with a token of its own."""

import pytest

from tests.operations.api.caller import ApiCaller, a_caller


@pytest.fixture
def agent(db: None) -> ApiCaller:
    return a_caller("agent-1")


@pytest.fixture
def other_agent(db: None) -> ApiCaller:
    return a_caller("agent-2")
