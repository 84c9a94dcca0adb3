"""What a webhook and a second drill are refused with."""

from datetime import UTC, datetime, timedelta

from reconciliation.protocol.refusals import BadSignature, DrillIsRunning


def test_an_unsigned_delivery_is_told_how_to_sign():
    refusal = BadSignature(header="webhook-signature", expected="a signature", got="none")
    assert (refusal.code, refusal.status) == ("unauthenticated", 401)
    assert refusal.detail == "webhook-signature: expected a signature, got none."
    assert refusal.remedy.startswith("Sign the body's bytes")


def test_a_second_drill_is_told_which_one_runs_and_until_when():
    since = datetime(2025, 11, 30, 10, 4, 11, tzinfo=UTC)
    refusal = DrillIsRunning(number=7, since=since, until=since + timedelta(minutes=15))
    assert (refusal.code, refusal.status) == ("drill_is_running", 409)
    assert refusal.detail == "Drill 7 is running since 2025-11-30 10:04:11 UTC."
    assert refusal.remedy.endswith("it would be taken for over at 2025-11-30 10:19:11 UTC.")
