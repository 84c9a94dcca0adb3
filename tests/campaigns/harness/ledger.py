"""What truly happened at the receiver, read from its own files and not from its answers."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

# (environment, key of the operation)
type Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Requests and effects, counted apart; a place that is not in it has none."""

    requests: Mapping[Place, int]
    effects: Mapping[Place, int]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The sandbox's store: one SQLite file for each environment, whoever has it open."""
        requests: Counter[Place] = Counter()
        effects: Counter[Place] = Counter()
        for path in sorted(folder.glob("*.sqlite3")):
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as store:
                for counts, table in ((requests, "requests"), (effects, "effects")):
                    rows = store.execute(
                        f"SELECT operation_id, count(*) FROM {table} GROUP BY operation_id"
                    )
                    counts.update({(path.stem, key): count for key, count in rows})
            store.close()
        return cls(requests, effects)

    def under(self, prefix: str) -> "Ledger":
        """Only the operations whose key begins so."""
        return Ledger(
            {place: n for place, n in self.requests.items() if place[1].startswith(prefix)},
            {place: n for place, n in self.effects.items() if place[1].startswith(prefix)},
        )
