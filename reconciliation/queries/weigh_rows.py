"""Rows of a statement beside the record, as it is now: what each comes to, and nothing written."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from operations import registry
from operations.protocol.payloads import Difference
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Receipt
from reconciliation.models import Statement
from reconciliation.protocol.statements.outcomes import (
    GRADE_OF,
    ORPHANS,
    SETTLING,
    Content,
    Outcome,
    Road,
    Standing,
    content_of,
    says_nothing_new,
    weigh,
)
from reconciliation.protocol.statements.rows import Mistake, Row
from reconciliation.queries.statement_matching import (
    Kept,
    Place,
    Settled,
    effect_holders,
    kept_words,
    standings,
)

# What is kept, unless the same words are kept already.
_TO_KEEP = ORPHANS | {Outcome.MISMATCH, Outcome.LATE, Outcome.NOT_PROOF, Outcome.KEPT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the rows come from, and what the receiver guarantees."""

    place: Place
    road: Road
    profile: Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedRow:
    """A row with what it comes to. `occurrence` counts equal rows of the file, from 1."""

    row: Row
    outcome: Outcome
    content: Content | None = None
    occurrence: int = 0
    standing: Standing | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def said(self) -> Receipt:
        """The receipt in it. Raises ValueError for a row that holds none."""
        if isinstance(self.row.value, Mistake):
            raise ValueError(f"expected a receipt in row {self.row.number}, got a mistake")
        return self.row.value


def source_of(statement: Statement) -> Source:
    """Raises UnknownReceiver, UnknownEnvironment for one that is not configured any more."""
    place = Place(registry.environment(statement.environment), statement.receiver)
    config = registry.receiver(place.receiver, place.environment)
    return Source(place=place, road=Road(statement.road), profile=config.profile)


def contents_of(rows: Sequence[Row]) -> dict[int, Content]:
    """What the readable rows say, by their number."""
    return {row.number: content_of(row.value) for row in rows if isinstance(row.value, Receipt)}


def occurrences(contents: Mapping[int, Content], earlier: Mapping[UUID, int]) -> dict[int, int]:
    """Which of its equals each row is, in the order of the file; `earlier` are those above."""
    counted = Counter(earlier)
    found = {}
    for number, content in contents.items():
        counted[content.fingerprint] += 1
        found[number] = counted[content.fingerprint]
    return found


def weigh_rows(
    rows: Sequence[Row],
    source: Source,
    *,
    contents: Mapping[int, Content],
    occurrence_of: Mapping[int, int],
    known: Mapping[str, Standing],
    settled: Settled,
) -> list[WeighedRow]:
    """Each row as those above it leave it; `settled` takes in what these settle."""
    effects = {content.effect_id for content in contents.values()} - {""}
    holders = effect_holders(source.place, effects)
    weighed = []
    for row in rows:
        content = contents.get(row.number)
        if isinstance(row.value, Mistake) or content is None:
            weighed.append(WeighedRow(row=row, outcome=Outcome.UNREADABLE))
            continue
        one = WeighedRow(
            row=row,
            outcome=Outcome.UNMATCHED,
            content=content,
            occurrence=occurrence_of[row.number],
            standing=known.get(content.key),
        )
        weighed.append(_beside(one, row.value, source, holders, settled))
    return _without_known(weighed, source)


def standings_of(contents: Mapping[int, Content], source: Source) -> dict[str, Standing]:
    """The operations that rows name, by key."""
    return standings(source.place, {content.key for content in contents.values()})


def _beside(
    one: WeighedRow,
    receipt: Receipt,
    source: Source,
    holders: Mapping[str, UUID],
    settled: Settled,
) -> WeighedRow:
    standing = one.standing
    if standing is None:
        return one
    if one.occurrence > 1:
        repeats = Outcome.KNOWN if says_nothing_new(receipt) else Outcome.REPEATED
        return replace(one, outcome=repeats)
    if standing.id in settled.states:
        state, confirmed_by = settled.states[standing.id]
        grade = str(GRADE_OF[source.road]) if confirmed_by else ""
        standing = replace(standing, state=state, effect_id=confirmed_by, grade=grade)
    effect_id = receipt.effect_id or ""
    holder = settled.holders.get(effect_id, holders.get(effect_id))
    found = weigh(
        receipt,
        standing,
        profile=source.profile,
        road=source.road,
        is_effect_taken=holder not in (None, standing.id),
    )
    if found.outcome in SETTLING:
        settled.add(standing.id, found.outcome, effect_id)
    return replace(one, outcome=found.outcome, differences=found.differences)


def _without_known(weighed: list[WeighedRow], source: Source) -> list[WeighedRow]:
    """The rows, those marked whose words are kept already, as often as the file has said them."""
    contents = {one.content for one in weighed if one.content and one.outcome in _TO_KEEP}
    if not contents:
        return weighed
    ids = {one.standing.id for one in weighed if one.standing and one.outcome in _TO_KEEP}
    kept = kept_words(source.place, source.road, contents, ids)
    return [
        replace(one, outcome=Outcome.KNOWN)
        if one.content in kept and one.outcome in _TO_KEEP and _is_known(one, kept[one.content])
        else one
        for one in weighed
    ]


def _is_known(one: WeighedRow, kept: Kept) -> bool:
    if one.outcome is Outcome.REPEATED:
        # The first of them may be known by what no statement said; the others lie without one.
        return kept.orphans >= one.occurrence - 1 or kept.tied_by_statement >= one.occurrence
    if one.outcome is Outcome.UNMATCHED:
        return kept.orphans >= one.occurrence
    return kept.tied >= 1
