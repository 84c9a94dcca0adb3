"""What a flow is: a state to begin in, one act through the real entrance, and how it may end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from operations.models import Operation
from tests.operations.api.caller import ApiCaller


class Role(StrEnum):
    """Which process runs it."""

    API = "api"
    WEB = "web"
    DISPATCHER = "dispatcher"
    RECONCILER = "reconciler"
    WEBHOOK = "webhook"
    BEAT = "beat"
    AGENT = "agent"


@dataclass(slots=True, kw_only=True)
class Subject:
    """What one run of a flow is about, committed to the database.

    `key` belongs to nobody else; the keys of further operations begin with it. `given` is what the
    act needs besides, such as a fencing token; `seen` what was seen after its retry.
    """

    key: str
    operation: Operation | None = None
    caller: ApiCaller | None = None
    given: dict[str, Any] = field(default_factory=dict)
    seen: str | None = None

    @property
    def row(self) -> Operation:
        """The operation as it was arranged."""
        assert self.operation is not None
        return self.operation

    @property
    def path(self) -> str:
        """Its address in the API."""
        return f"/operations/{self.row.pk}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One thing that a process of this role does.

    `arrange()` commits the state that it begins in. `act(subject)` runs it through its entrance
    (HTTP, a task's body) and returns a word for the answer, such as "201" or "409 stale_claim".
    `again(subject)` is what its caller does that got no answer; by default the same once more.
    `may_end`: where a process outside is called, the ends that are right, each a line of
    `endings.short`; elsewhere the only right end is that of a run which nothing disturbed.
    `is_alone`: it works on whatever is there, so that no other subject may be there at that time.
    `seen`: what else its end is told by, where no operation tells it.
    """

    name: str
    role: Role
    arrange: Callable[[], Subject]
    act: Callable[[Subject], str]
    again: Callable[[Subject], object] | None = None
    may_end: frozenset[str] | None = None
    is_alone: bool = False
    seen: Callable[[Subject], str] | None = None

    def retry(self, subject: Subject) -> None:
        """What its caller does that got no answer."""
        (self.again or self.act)(subject)
        if self.seen is not None:
            subject.seen = self.seen(subject)

    def __str__(self) -> str:
        return f"{self.role} {self.name}"
