"""After the last fault: agents come back, everything settles, and the record is held against all
that was seen outside of it."""

import re
import time
from dataclasses import dataclass, field

import psycopg

from opsconsole.embedded.record import DATABASE
from tests.campaigns.harness.campaign import Tally
from tests.campaigns.harness.invariants import Findings, examine
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.harness.promises import STUCK
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.prepared import SWEEP_SECONDS
from tests.campaigns.surroundings.witness import AWAY

# The longest lease (a lookup's), two sweeps, and the quarantine of what nobody sent.
SETTLED_WITHIN_SECONDS = 30 + 2 * SWEEP_SECONDS + 10
UNFINISHED = """
    SELECT key FROM operations_operation WHERE starts_with(key, %s) AND executor = 'agent'
    AND state IN ('ready', 'sent_unknown') AND NOT EXISTS (
        SELECT 1 FROM operations_review r WHERE r.operation_id = operations_operation.id
        AND r.closed_at IS NULL)
"""


@dataclass(slots=True, kw_only=True)
class Aftermath:
    """What came of a run: the campaign adds its own work and points to it."""

    findings: Findings
    work: dict[str, int] = field(default_factory=dict)
    settled_in_seconds: float = 0.0
    ledger: Ledger

    def tally(self, points: int, work: dict[str, int], note: str = "") -> Tally:
        """The campaign's result."""
        found = self.findings
        words = f"settled {self.settled_in_seconds:.0f} s after the last act"
        return Tally(
            points=points,
            duplicates=len(found.duplicates),
            lost=len(found.lost),
            stuck=len(found.stuck),
            violations=tuple(found.all),
            work=work | self.work,
            note=f"{words}; {note}" if note else words,
        )


def heal(agents: Agents) -> float:
    """Let agents come back and everything settle; returns the seconds that settling took.

    The surroundings are whole again, and no agent is at work any more.
    """
    url = agents.site.record.superuser_url(DATABASE)
    agents.site.wait_until_ready()
    # Reports that were pending may come too late, and keys that nobody heard of were never placed.
    agents.come_back(_keys(url, UNFINISHED, agents.prefix))
    # Those who came back sent what was left, and that has a quarantine of its own.
    last_act_at = time.monotonic()
    while _keys(url, STUCK) and time.monotonic() < last_act_at + SETTLED_WITHIN_SECONDS:
        agents.site.pause(0.3)
    return time.monotonic() - last_act_at


def look_back(agents: Agents, *, settled_in: float) -> Aftermath:
    """Hold the record against the receiver's ledger, and both against what agents saw."""
    site, witness = agents.site, agents.witness
    url = site.record.superuser_url(DATABASE)
    ledger = Ledger.read(site.directory.sandbox)
    findings = examine(url, ledger=ledger, acknowledged=witness.registered)
    findings.violations += [*witness.faults, *agents.faults, *_undone(url, agents)]
    findings.duplicates += _unmarked_sends(agents, ledger)
    entries, fault = _verified(agents)
    findings.violations += fault
    said = site.said[agents.said_before :]
    work = {
        "acknowledged registrations": len(witness.registered),
        "acknowledged marks": len(witness.marks),
        "acknowledged confirmations": len(witness.confirmed),
        "answers 503": witness.statuses[AWAY],
        "pages read": agents.reader.statuses[200],
        "pages answered 503": agents.reader.statuses[AWAY],
        "restarts of processes": sum("running again" in line for line in said),
        "audit entries": entries,
        **{name: findings.work.get(name, 0) for name in ("requests", "effects", "confirmed")},
    }
    return Aftermath(findings=findings, work=work, settled_in_seconds=settled_in, ledger=ledger)


def _keys(url: str, query: str, *values: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(query, values or None).fetchall()
    return [str(row[0] if values else row[1]) for row in rows]


def _undone(url: str, agents: Agents) -> list[str]:
    """Acknowledged marks and confirmations that are not on record any more."""
    with psycopg.connect(url) as connection:
        marks = connection.execute("SELECT operation_id, generation, token FROM operations_attempt")
        kept = {(str(pk), generation): token for pk, generation, token in marks}
        rows = connection.execute("SELECT id FROM operations_operation WHERE state = 'confirmed'")
        confirmed = {str(pk) for (pk,) in rows}
    lost_marks = [
        f"an acknowledged mark is undone: {place}"
        for place, token in agents.witness.marks.items()
        if kept.get(place) != token
    ]
    lost = agents.witness.confirmed - confirmed
    return lost_marks + [f"an acknowledged confirmation is undone: {each}" for each in lost]


def _unmarked_sends(agents: Agents, ledger: Ledger) -> list[str]:
    """Requests of agents beyond the marks that they saw acknowledged."""
    marks = agents.witness.marks_by_place()
    return [
        f"{place}: {count} requests under {marks[place]} acknowledged marks"
        for place, count in ledger.under(agents.prefix).requests.items()
        if "-console-" not in place[1] and count > marks[place]
    ]


def _verified(agents: Agents) -> tuple[int, list[str]]:
    """How many entries `verify_audit` found whole; else what it said."""
    done = agents.site.manage("verify_audit")
    found = re.search(r"Whole: (\d+) entries", done.stdout)
    if done.returncode == 0 and found:
        return int(found[1]), []
    return 0, [f"verify_audit: {done.stdout[-500:]} {done.stderr[-500:]}"]
