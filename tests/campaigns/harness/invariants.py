"""I1 to I8: what must hold of the record and the receiver's ledger, whatever happened before.

Plain SQL (`promises.py`) and hashlib, with no code of the product: what it got wrong must not hide
it here.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

from tests.campaigns.harness.chains import chain_faults
from tests.campaigns.harness.ledger import Ledger, Place
from tests.campaigns.harness.promises import BROKEN, DENIED, STUCK


@dataclass(slots=True, kw_only=True)
class Findings:
    """Broken promises, one line each. `work` counts what there was to break."""

    duplicates: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    work: dict[str, int] = field(default_factory=dict)

    @property
    def all(self) -> list[str]:
        """Every line."""
        return [*self.duplicates, *self.lost, *self.stuck, *self.violations]


def examine(
    database_url: str,
    *,
    ledger: Ledger,
    acknowledged: Collection[Place] = (),
    must_be_settled: bool = True,
    may_be_denied: Collection[Place] = (),
) -> Findings:
    """Hold the whole record against the ledger.

    `database_url` may read everything (owner or superuser). `acknowledged`: registrations that a
    caller saw answered. `must_be_settled`: everything healed, so nothing may be stuck (I6).
    `may_be_denied`: effects that the receiver hid, so that people rightly found none.
    """
    found = Findings()
    with psycopg.connect(database_url) as connection:
        connection.execute("SET default_transaction_isolation = 'repeatable read'")
        connection.commit()
        attempts = _attempts(connection)
        known = _known(connection)
        found.duplicates += _duplicates(ledger, attempts)
        found.lost += _lost(ledger, known, acknowledged)
        for sentence, query in BROKEN.items():
            found.violations += [f"{sentence}: {row}" for row in connection.execute(query)]
        found.violations += chain_faults(connection)
        if must_be_settled:
            found.stuck += [f"stuck: {row}" for row in connection.execute(STUCK)]
            found.lost += _denied(connection, ledger, may_be_denied)
        found.work = {**known.states, "requests": sum(ledger.requests.values())}
        found.work |= {"effects": sum(ledger.effects.values()), "attempts": sum(attempts.values())}
    return found


@dataclass(slots=True)
class _Known:
    places: set[Place]
    states: dict[str, int]


def _known(connection: psycopg.Connection[Any]) -> _Known:
    rows = connection.execute("SELECT environment, key, state FROM operations_operation").fetchall()
    states: dict[str, int] = {"operations": len(rows)}
    for _, _, state in rows:
        states[state] = states.get(state, 0) + 1
    return _Known({(environment, key) for environment, key, _ in rows}, states)


def _attempts(connection: psycopg.Connection[Any]) -> dict[Place, int]:
    rows = connection.execute(
        "SELECT o.environment, o.key, count(*) FROM operations_attempt a"
        " JOIN operations_operation o ON o.id = a.operation_id GROUP BY o.environment, o.key"
    )
    return {(environment, key): count for environment, key, count in rows}


def _duplicates(ledger: Ledger, attempts: dict[Place, int]) -> Iterator[str]:
    """I1, and the reason for it: no request without an attempt written before it."""
    for place, count in ledger.effects.items():
        if count > 1:
            yield f"I1 {place}: {count} effects"
    for place, count in ledger.requests.items():
        if count > attempts.get(place, 0):
            yield f"I1 {place}: {count} requests, {attempts.get(place, 0)} attempts on record"


def _lost(ledger: Ledger, known: _Known, acknowledged: Collection[Place]) -> Iterator[str]:
    for place in sorted(set(acknowledged) - known.places):
        yield f"I3 {place}: its registration was acknowledged and is not on record"
    for place in sorted(set(ledger.effects) - known.places):
        yield f"I3 {place}: an effect of no operation on record"


def _denied(
    connection: psycopg.Connection[Any], ledger: Ledger, may_be_denied: Collection[Place]
) -> Iterator[str]:
    places = [place for place in ledger.effects if place not in may_be_denied]
    values = {"environments": [p[0] for p in places], "keys": [p[1] for p in places]}
    for row in connection.execute(DENIED, values):
        yield f"I3 {row}: there is an effect, and nobody is asked about it"
