"""Probing a receiver that shows no counts, through the `http` connector as it is documented."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from operations.receivers.base import CertifySample
from operations.receivers.connectors import connector
from reconciliation.actions.probe_receiver import Prober
from reconciliation.actions.receiver_ledger import ledger_of
from reconciliation.protocol.certification import Finding, Probe
from tests.http_receivers import configured

SAMPLE = CertifySample(
    payload='{"sku":"certify","quantity":1}', other_payload='{"sku":"certify","quantity":2}'
)


def probe(books, seed):
    """What was seen of it, by probe."""
    config = configured("supplier", books.url)
    config = replace(config, profile=replace(config.profile, lookup_lag_seconds=0))
    prober = Prober(
        config=config,
        receiver=connector(config),
        sample=SAMPLE,
        seed=seed,
        began_at=datetime.now(tz=UTC),
        ledger=ledger_of(config),
    )
    return {row.probe: row for row in prober.rows()}


def test_effects_are_told_apart_by_their_ids_and_requests_are_not_counted(sandbox_process):
    rows = probe(sandbox_process, "plain")
    differing = [row for row in rows.values() if row.finding == Finding.DIFFERS]
    assert differing == []
    assert rows[Probe.SAME_KEY].observed == "1 effect, sent twice, by the ids that it told"
    assert rows[Probe.REQUESTS].finding == Finding.NOT_PROBED


@pytest.mark.parametrize(
    ("name", "probe_name"), [("same", Probe.SAME_KEY), ("changed", Probe.CHANGED_PAYLOAD)]
)
def test_a_second_effect_is_known_by_its_id(sandbox_process, name, probe_name):
    sandbox_process.fault(f"certify-second{name}-{name}", "ignore_key")
    row = probe(sandbox_process, f"second{name}")[probe_name]
    assert row.finding == Finding.DIFFERS
    assert "2 effects" in row.observed
