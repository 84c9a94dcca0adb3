"""Every flow of every role of a process, in the order in which campaigns run them.

`FLOWS` holds them all; `by_name(name)` finds one; `of_role(*roles)` those of some processes. A flow
is arranged afresh for each run: `subject = flow.arrange(); flow.act(subject)`. Those of agents need
a web process: `with web_process() as url: agent.console_at(url)`.
"""

from tests.campaigns.harness.flows import (
    agent,
    api_registering,
    api_sending,
    beat,
    dispatcher,
    reconciler,
    statement,
    web_answering,
    web_reviews,
    web_settling,
    webhook,
)
from tests.campaigns.harness.flows.flow import Flow, Role, Subject

FLOWS: tuple[Flow, ...] = (
    *api_registering.FLOWS,
    *api_sending.FLOWS,
    *web_answering.FLOWS,
    *web_settling.FLOWS,
    *web_reviews.FLOWS,
    *dispatcher.FLOWS,
    *reconciler.FLOWS,
    *statement.FLOWS,
    *webhook.FLOWS,
    *beat.FLOWS,
    *agent.FLOWS,
)

__all__ = ["FLOWS", "Flow", "Role", "Subject", "by_name", "of_role"]


def by_name(name: str) -> Flow:
    """The flow of that name. Raises KeyError."""
    return {flow.name: flow for flow in FLOWS}[name]


def of_role(*roles: Role) -> list[Flow]:
    """The flows of these processes."""
    return [flow for flow in FLOWS if flow.role in roles]
