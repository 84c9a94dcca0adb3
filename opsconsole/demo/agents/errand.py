"""What one agent process is sent out for, and where in it the process is to die."""

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self


class Window(StrEnum):
    """The crash windows of an effect; the value is how the log names them."""

    BEFORE_MARK = "before the mark"
    BEFORE_CALL = "after the mark, before the call"
    BEFORE_ANSWER = "after the receiver committed, before its answer came"
    BEFORE_REPORT = "after the answer, before the report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One operation to bring about, in as many runs as it takes; every run has the same key.

    `faults` are armed at the sandbox first: name and seconds (None: as usual). `wait_seconds`: how
    long a run goes on observing what it can't send.
    """

    agent: str
    key: str
    kind: str
    payload: dict[str, Any]
    reference: str
    goal: str
    context: dict[str, Any]
    environment: str = "production"
    receiver: str = "sandbox"
    executor: str = "agent"
    wait_seconds: float = 45
    dies: Window | None = None
    faults: dict[str, float | None] = field(default_factory=dict)

    def request(self) -> dict[str, Any]:
        """What the agent asks the console for, apart from who sends it."""
        return {
            "key": self.key,
            "kind": self.kind,
            "receiver": self.receiver,
            "environment": self.environment,
            "payload": self.payload,
            "reference": self.reference,
            "goal": self.goal,
            "context": self.context,
        }

    def as_argument(self) -> str:
        """One argument of a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, argument: str) -> Self:
        """The errand in that argument."""
        members = json.loads(argument)
        dies = members.pop("dies")
        return cls(**members, dies=Window(dies) if dies else None)
