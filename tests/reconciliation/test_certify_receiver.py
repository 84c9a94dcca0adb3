"""`certify_receiver` against a real sandbox: every fault that it is told to show is found."""

from dataclasses import replace
from io import StringIO
from itertools import count

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from operations.models import AuditEntry, Operation
from reconciliation.models import Certification
from reconciliation.protocol.certification import Finding, Probe
from reconciliation.queries.certifications import latest_certifications
from tests.receiver import configure, sandbox_fixture

__all__ = ["sandbox_fixture"]

pytestmark = pytest.mark.django_db
_numbers = count(1)
PLACE = ("staging", "sandbox")


@pytest.fixture
def seed():
    """Part of the keys of one run, so that faults can be armed before it."""
    return f"t{next(_numbers)}"


def certify(seed, *more):
    """One run; (what it printed, the sentence that it ended with)."""
    out = StringIO()
    try:
        call_command("certify_receiver", "sandbox", "--seed", seed, *more, stdout=out)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def findings():
    """What the latest one found, by probe."""
    return {row.probe: row for row in latest_certifications()[PLACE].rows}


def differing():
    return {probe for probe, row in findings().items() if row.finding == Finding.DIFFERS}


def test_a_receiver_that_keeps_its_word_is_certified(sandbox, seed):
    printed, error = certify(seed)
    assert error == ""
    assert [row.finding for row in findings().values()] == [Finding.AGREES] * len(Probe)
    assert latest_certifications()[PLACE].drift == ()
    for row in findings().values():
        assert row.observed in printed
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    ("fault", "name", "found", "observed"),
    [
        ({"fault": "ignore_key"}, "same", {Probe.SAME_KEY}, "2 effects"),
        ({"fault": "ignore_key"}, "changed", {Probe.CHANGED_PAYLOAD}, "2 effects"),
        ({"fault": "forget_key"}, "same", {Probe.SAME_KEY}, "2 effects"),
        ({"fault": "forget_key", "seconds": 0.5}, "forgotten", {Probe.FORGOTTEN_KEY}, "2 effects"),
        ({"fault": "hide_lookup"}, "same", {Probe.LOOKUP, Probe.LAG}, "not found"),
        ({"fault": "hide_lookup", "seconds": 2.5}, "same", {Probe.LAG}, "found after"),
        ({"fault": "redirect"}, "same", {Probe.ANSWER, Probe.LOOKUP, Probe.LAG}, "a redirect"),
        ({"fault": "change_payload"}, "same", {Probe.ANSWER, Probe.LOOKUP}, "differs at /quantity"),
        ({"fault": "pending"}, "same", {Probe.ANSWER, Probe.LOOKUP}, "says pending"),
        ({"fault": "answer_late", "seconds": 4}, "same", {Probe.ANSWER}, "no answer"),
        ({"fault": "lose_reply"}, "same", {Probe.ANSWER}, "no answer"),
        ({"fault": "duplicate"}, "same", {Probe.ANSWER}, "status 409 duplicate"),
        ({"fault": "error_after_commit"}, "same", {Probe.ANSWER}, "status 503"),
        ({"fault": "garbage_reply"}, "same", {Probe.ANSWER}, "status 200"),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else None,
)
def test_a_fault_is_found_and_told(sandbox, seed, fault, name, found, observed):
    sandbox.fault(f"certify-{seed}-{name}", **fault, environment="staging")
    _, error = certify(seed)
    assert differing() == found
    assert error.startswith("Observed differs from claimed: ")
    assert any(observed in findings()[probe].observed for probe in found)
    assert len(latest_certifications()[PLACE].drift) == len(found)


def test_a_second_request_that_somebody_else_made_is_counted(sandbox, seed):
    key = f"certify-{seed}-same"
    payload = {"sku": "certify", "quantity": 1}
    sandbox.post_order(key, payload, key=f"{key}-idempotency", environment="staging")
    certify(seed)
    assert differing() == {Probe.REQUESTS}
    assert findings()[Probe.REQUESTS].observed == "3 requests for 2 sends"


def test_a_receiver_that_does_more_than_it_claims_contradicts_nothing(sandbox, settings, seed):
    configure(
        settings, deduplicates=False, dedup_window_seconds=None, notices_changed_payload=False
    )
    assert certify(seed)[1] == ""
    assert findings()[Probe.FORGOTTEN_KEY].finding == Finding.NOT_PROBED


def test_without_a_lookup_none_is_tried_and_it_says_so(sandbox, settings, seed):
    configure(settings, has_lookup=False)
    assert certify(seed)[1] == ""
    for probe in (Probe.NEVER_USED, Probe.LOOKUP, Probe.LAG):
        assert findings()[probe].finding == Finding.NOT_PROBED


def test_a_receiver_that_is_away_agrees_with_nothing_that_was_probed(sandbox, settings, seed):
    configure(settings, url="http://127.0.0.1:9")
    assert certify(seed)[1] != ""
    assert Finding.AGREES not in {row.finding for row in findings().values()}


def test_it_is_kept_for_ever_with_an_entry_of_the_trail(sandbox, seed):
    certify(seed)
    kept = Certification.objects.get()
    entry = AuditEntry.objects.get(event="certify_receiver")
    assert (entry.stream, entry.detail["certification"]) == ("receivers", kept.pk)
    assert entry.detail["findings"]["same_key"] == "agrees"
    with pytest.raises(DatabaseError), transaction.atomic():
        Certification.objects.update(seed="another")


def test_claims_that_changed_since_are_drift(sandbox, settings, seed):
    certify(seed)
    configure(settings, lookup_lag_seconds=9)
    assert latest_certifications()[PLACE].drift == (
        "lookup_lag_seconds: 0 when it was probed, 9 now.",
    )


def test_the_latest_one_counts(sandbox, seed):
    sandbox.fault(f"certify-{seed}-same", "duplicate", environment="staging")
    certify(seed)
    certify(f"{seed}again")
    assert latest_certifications()[PLACE].drift == ()
    assert Certification.objects.count() == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sandbox", "--environment", "production"], "expected one that may be probed (staging)"),
        (["sandbox", "--environment", "moon"], "expected one that may be probed (staging)"),
        (["manual"], "[receivers.manual.certify]"),
        (["nobody"], "expected a receiver, one of manual, sandbox"),
        (["sandbox", "--seed", "a b"], "letters and digits"),
    ],
)
def test_nothing_is_probed_where_the_file_does_not_allow_it(sandbox, arguments, sentence):
    with pytest.raises(CommandError) as refused:
        call_command("certify_receiver", *arguments, stdout=StringIO())
    assert sentence in str(refused.value)
    assert not Certification.objects.exists()


def test_where_two_places_may_be_probed_one_has_to_be_named(sandbox, settings, seed):
    receivers = dict(settings.OPSCONSOLE.receivers)
    sample = receivers[PLACE].certify
    place = ("production", "sandbox")
    receivers[place] = replace(receivers[place], certify=sample)
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)
    assert "expected one that may be probed" in certify(seed)[1]
    assert certify(seed, "--environment", "staging")[1] == ""
