"""Receivers: what each one guarantees, and how its unknowns are doing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import Halt
from operations.protocol.profiles import Profile
from operations.protocol.states import LookupResult, State
from operations.queries.halts import halts_in_force
from operations.receivers.base import ReceiverConfig
from operations.registry import configuration_of
from operations.roles import Ability
from operations.templatetags.wording import span
from operations.web.access import page
from operations.web.environment import environment_in
from reconciliation.queries.certifications import Certified, latest_certifications
from reconciliation.queries.gates import Gate, Lag
from reconciliation.queries.receivers import Standing, standings
from reconciliation.web.guarantees import Guarantee, guarantees


@dataclass(frozen=True, slots=True)
class LookupCount:
    """How many lookups ended so, within 24 hours."""

    result: LookupResult
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverCard:
    """One receiver in one environment. `halt` is what stops its dispatch, if anything does.

    `time_to_settle` is in words, "" when nothing was settled; `runbook_url` is "" for a runbook
    in plain words. `certified` is None for one never probed.
    """

    name: str
    environment: str
    profile: Profile
    unknown_url: str
    unknown_count: int
    oldest_at: datetime | None
    settled_count: int
    time_to_settle: str
    guarantees: list[Guarantee]
    lookup_counts: list[LookupCount]
    runbook_url: str
    certified: Certified | None
    gate: Gate
    lag: Lag | None
    halt: Halt | None


@require_safe
@page(Ability.VIEW)
def receivers(request: HttpRequest) -> HttpResponse:
    """Every configured receiver, those with unknowns first; the drills' own where it is named."""
    now, environment = clock.now(), environment_in(request)
    found, halts = standings(now=now), list(halts_in_force())
    probed = latest_certifications()
    cards = [
        _card(config, found[place], halts, probed.get(place))
        for place, config in configuration_of(environment).receivers.items()
        if environment in ("", config.environment)
    ]
    cards.sort(key=lambda card: (not card.unknown_count, card.name, card.environment))
    context = {"as_of": now, "here": request.get_full_path(), "receivers": cards}
    return render(request, "reconciliation/receivers.html", context)


def _card(
    config: ReceiverConfig,
    standing: Standing,
    halts: Sequence[Halt],
    certified: Certified | None,
) -> ReceiverCard:
    runbook = config.profile.runbook
    return ReceiverCard(
        name=config.name,
        environment=config.environment,
        profile=config.profile,
        unknown_url=_unknown_url(config),
        unknown_count=standing.unknown_count,
        oldest_at=standing.oldest_at,
        settled_count=standing.settled_count,
        time_to_settle=_length(standing.time_to_settle),
        guarantees=guarantees(config.profile),
        lookup_counts=[LookupCount(r, standing.lookups.get(r, 0)) for r in LookupResult],
        runbook_url=runbook if runbook.startswith(("http://", "https://")) else "",
        certified=certified,
        gate=standing.gate,
        lag=standing.lag,
        halt=next((halt for halt in halts if _is_over(halt, config)), None),
    )


def _length(took: timedelta | None) -> str:
    if took is None:
        return ""
    return span(took) if took >= timedelta(seconds=1) else "< 1 s"


def _is_over(halt: Halt, config: ReceiverConfig) -> bool:
    return halt.environment in ("", config.environment) and halt.receiver in ("", config.name)


def _unknown_url(config: ReceiverConfig) -> str:
    given = {
        "environment": config.environment,
        "state": str(State.SENT_UNKNOWN),
        "receiver": config.name,
    }
    return f"{reverse('operations:list')}?{urlencode(given)}"
