"""The receivers of a story: profiles that differ in what they promise, one real sandbox behind."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.conf import settings

from operations.actions.claim_for_dispatch import LEASE_MARGIN_SECONDS
from operations.protocol.profiles import Profile, RefusalRule
from operations.receivers.base import ReceiverConfig
from tests.campaigns.stateful.reference.record import Place
from tests.signing import SECRET

MINUTE = 60
MARGIN = 5
ENVIRONMENT = "production"

PLACES = {
    place.name: place
    for place in (
        Place(name="sandbox", window=90),
        Place(name="alone", second=False),
        Place(name="keyless", window=None, second=False),
        Place(name="manual", lookup=False, window=None),
    )
}


def profile_of(place: Place) -> Profile:
    """The product's words for it; whole minutes become seconds."""
    has_keys = place.window is not None
    return Profile(
        receiver=place.name,
        connector="sandbox" if place.lookup else "manual",
        deduplicates=has_keys,
        dedup_window_seconds=((place.window or 0) + MARGIN) * MINUTE if has_keys else None,
        dedup_margin_seconds=MARGIN * MINUTE,
        has_lookup=place.lookup,
        lookup_lag_seconds=place.lag * MINUTE,
        delivery_delay_seconds=place.delay * MINUTE,
        send_within_seconds=MINUTE - LEASE_MARGIN_SECONDS,  # our dispatcher's lease is a minute
        definite_refusals=(RefusalRule(422, "order_refused"),),
        second_person=place.second,
        lookup_interval_seconds=MINUTE,
        lookup_limit_seconds=place.limit * MINUTE,
        claims_before_stalled=place.claims,
        due_limit_seconds=place.limit * MINUTE,
        # The reference of the rules knows no gate: a lookup that is due is made.
        lookups_at_once=10_000,
        circuit_after_failures=10_000,
    )


def configure_places(url: str) -> None:
    """Let the product know them, behind the sandbox at `url`."""
    receivers = dict(settings.OPSCONSOLE.receivers)
    for place in PLACES.values():
        receivers[ENVIRONMENT, place.name] = ReceiverConfig(
            name=place.name,
            environment=ENVIRONMENT,
            profile=profile_of(place),
            base_url=url if place.lookup else "",
            webhook_secret=SECRET,
        )
    settings.OPSCONSOLE = replace(
        settings.OPSCONSOLE, receivers=receivers, api_requests_per_minute=10**9
    )


@contextmanager
def out_of_reach(place: Place) -> Iterator[None]:
    """Nobody listens at this receiver's address meanwhile."""
    before = settings.OPSCONSOLE
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # bound and never listening, so nobody else takes it
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        there = ENVIRONMENT, place.name
        away = replace(before.receivers[there], base_url=url)
        settings.OPSCONSOLE = replace(before, receivers={**before.receivers, there: away})
        try:
            yield
        finally:
            settings.OPSCONSOLE = before
