"""The drills: what each one does, and what has to be seen at its end for it to pass."""

from dataclasses import dataclass
from enum import StrEnum

AGENT, CONSOLE = "agent", "console"


class DrillVerdict(StrEnum):
    """How one drill ended."""

    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """One drill. `kills`, `requests` and `effects` are what has to be counted at its end.

    `sender` is who sends: `agent` through the Python client, `console` through a dispatcher, ""
    where the drill is about both. `promise` is what has to hold, in a sentence.
    """

    name: str
    title: str
    promise: str
    sender: str = AGENT
    kills: int = 1
    requests: int = 1
    effects: int = 1


_LOOKED_UP = "It is looked up; the receipt confirms, and nothing is sent again."
_NEVER_SENT = "Nobody sends it again; after the quarantine a person is asked."

# In the order of the table; the first six and the five after them are design section 4.
DRILLS = (
    Drill(
        name="agent_before_mark",
        title="Before the mark",
        promise="The next run waits out the old claim, claims again and sends once.",
    ),
    Drill(
        name="agent_before_call",
        title="After the mark, before the call",
        promise=_NEVER_SENT,
        requests=0,
        effects=0,
    ),
    Drill(
        name="agent_before_answer",
        title="After the receiver committed, before its response",
        promise=_LOOKED_UP,
    ),
    Drill(
        name="agent_before_report",
        title="After the response, before the report",
        promise=_LOOKED_UP,
    ),
    Drill(
        name="agent_after_confirmation",
        title="After confirmation",
        promise="The next run reads the stored receipt and calls nobody.",
    ),
    Drill(
        name="agent_awaiting_approval",
        title="While approval is pending",
        promise="The next run observes the same request, never a second one; nothing is sent.",
        requests=0,
        effects=0,
    ),
    Drill(
        name="console_before_mark",
        title="Before the mark",
        promise="Once the lease is over a worker of the console sends it, once.",
        sender=CONSOLE,
    ),
    Drill(
        name="console_before_call",
        title="After the mark, before the call",
        promise=_NEVER_SENT,
        sender=CONSOLE,
        requests=0,
        effects=0,
    ),
    Drill(
        name="console_before_answer",
        title="After the receiver committed, before its response",
        promise=_LOOKED_UP,
        sender=CONSOLE,
    ),
    Drill(
        name="console_before_save",
        title="After the response, before the local save",
        promise=_LOOKED_UP,
        sender=CONSOLE,
    ),
    Drill(
        name="console_after_confirmation",
        title="After confirmation",
        promise="Nothing is left to do, and nobody does anything.",
        sender=CONSOLE,
    ),
    Drill(
        name="two_claimants",
        title="Two claimants at once",
        promise="One gets the claim (201), the other already_claimed (409).",
        kills=0,
    ),
    Drill(
        name="expired_lease",
        title="A holder that sleeps past its lease",
        promise="A successor claims and sends; the old token's mark and report are refused, "
        "the report is kept.",
        kills=0,
    ),
    Drill(
        name="other_payload",
        title="A receipt of another payload",
        promise="It is refused, kept and put before a person; the receiver's own record confirms.",
        kills=0,
    ),
    Drill(
        name="lost_message",
        title="A broker message that is lost",
        promise="The process dies after its commit, before its hint; the sweep finds the row.",
        sender=CONSOLE,
    ),
    Drill(
        name="replayed_message",
        title="A broker message that comes ten times",
        promise="The row is sent once, however often its message is replayed.",
        sender=CONSOLE,
        kills=0,
    ),
)
BY_NAME = {drill.name: drill for drill in DRILLS}


def counts_fault(
    drill: Drill, *, kills: int, requests: int | None, effects: int | None
) -> str | None:
    """What the counts say against the drill, as expected and got; None when they agree."""
    got = (kills, requests, effects)
    if got == (drill.kills, drill.requests, drill.effects):
        return None
    expected = _counts(drill.kills, drill.requests, drill.effects)
    return f"Expected {expected}, got {_counts(*got)}."


def _counts(kills: int, requests: int | None, effects: int | None) -> str:
    return ", ".join(
        f"{'unknown' if count is None else count} {noun}{'' if count == 1 else 's'}"
        for count, noun in ((kills, "kill"), (requests, "request"), (effects, "effect"))
    )
