"""The latest certification of each receiver, beside what is claimed of it now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from operations.registry import configuration
from reconciliation.models import Certification
from reconciliation.protocol.certification import Finding, Probe, Row, drift


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """One receiver in one environment, when it was probed last. `drift` is in sentences."""

    at: datetime
    rows: tuple[Row, ...]
    drift: tuple[str, ...]


def latest_certifications() -> Mapping[tuple[str, str], Certified]:
    """By (environment, receiver), of those that are configured; one never probed is missing."""
    latest = Certification.objects.order_by("environment", "receiver", "-at", "-id")
    configured = configuration().receivers
    found = {}
    for kept in latest.distinct("environment", "receiver"):
        place = (kept.environment, kept.receiver)
        if place not in configured:
            continue
        rows = tuple(_row(each) for each in kept.rows)
        told = drift(rows, then=kept.claims, profile=configured[place].profile)
        found[place] = Certified(at=kept.at, rows=rows, drift=tuple(told))
    return found


def _row(kept: Mapping[str, str]) -> Row:
    return Row(
        probe=Probe(kept["probe"]),
        claimed=kept["claimed"],
        observed=kept["observed"],
        finding=Finding(kept["finding"]),
    )
