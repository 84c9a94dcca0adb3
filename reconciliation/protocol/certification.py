"""What a receiver claims beside what was seen of it: one row a probe, one verdict a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from operations.protocol.profiles import Profile


class Probe(StrEnum):
    """What is tried, in this order."""

    NEVER_USED = "never_used"
    ANSWER = "answer"
    LOOKUP = "lookup"
    LAG = "lag"
    SAME_KEY = "same_key"
    CHANGED_PAYLOAD = "changed_payload"
    FORGOTTEN_KEY = "forgotten_key"
    REQUESTS = "requests"


class Finding(StrEnum):
    """Observed against claimed."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_PROBED = "not_probed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One probe. `observed` of one that was not probed says why."""

    probe: Probe
    claimed: str
    observed: str
    finding: Finding


def row(probe: Probe, *, claimed: str, observed: str, agrees: bool) -> Row:
    """One that was probed."""
    finding = Finding.AGREES if agrees else Finding.DIFFERS
    return Row(probe=probe, claimed=claimed, observed=observed, finding=finding)


def not_probed(probe: Probe, *, claimed: str, why: str) -> Row:
    """One that was not, and why."""
    return Row(probe=probe, claimed=claimed, observed=why, finding=Finding.NOT_PROBED)


def claims_of(profile: Profile) -> dict[str, object]:
    """The members of a profile that a certification is about, as they are kept beside it."""
    fields = profile.significant_fields
    return {
        "connector": profile.connector,
        "deduplicates": profile.deduplicates,
        "dedup_window_seconds": profile.dedup_window_seconds,
        "notices_changed_payload": profile.notices_changed_payload,
        "has_lookup": profile.has_lookup,
        "lookup_lag_seconds": profile.lookup_lag_seconds,
        "send_within_seconds": profile.send_within_seconds,
        "significant_fields": None if fields is None else list(fields),
    }


def drift(rows: Sequence[Row], *, then: Mapping[str, object], profile: Profile) -> list[str]:
    """In sentences, where the receiver differed from its claims and what is claimed anew since."""
    told = [
        f"{each.probe}: claimed {each.claimed}, observed {each.observed}."
        for each in rows
        if each.finding == Finding.DIFFERS
    ]
    now = claims_of(profile)
    names = sorted({*now, *then})
    return told + [
        f"{name}: {then.get(name)} when it was probed, {now.get(name)} now."
        for name in names
        if then.get(name) != now.get(name)
    ]


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as lines of text, below a head."""
    head = ("probe", "claimed", "observed", "verdict")
    cells = [head, *((str(r.probe), r.claimed, r.observed, str(r.finding)) for r in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(3)]
    return [
        "  ".join([*(line[at].ljust(widths[at]) for at in range(3)), line[3]]) for line in cells
    ]
