"""Faults in looking up many at a time, each found by the tests of that."""

from tests.campaigns.sabotage.fault import TESTS, Fault

MANY = "tests/reconciliation/actions/test_reconcile_due.py"
ALIKE = "tests/reconciliation/actions/test_record_lookups.py"

FAULTS = (
    Fault(
        name="an answer is written with others though its claim was replaced",
        path="reconciliation/actions/plain_lookups.py",
        old="    is_held = operation.claim_token == met.asked.token and",
        new="    is_held = operation.claim_token is not None and",
        campaign=TESTS,
        focus=MANY,
        also=(
            (
                "reconciliation/actions/write_lookups.py",
                " AND o.claim_token = g.token\n",
                "\n",
            ),
        ),
    ),
    Fault(
        name="lookups that are taken together take what somebody else holds",
        path="operations/actions/take_slots.py",
        old='_IS_FREE = "(claim_token IS NULL OR claim_given_back OR claim_expires_at',
        new='_IS_FREE = "(true OR claim_given_back OR claim_expires_at',
        campaign=TESTS,
        focus=MANY,
    ),
    Fault(
        name="an answer that asks a person is written with the plain ones",
        path="reconciliation/actions/plain_lookups.py",
        old="    return conclusion.question is None\n",
        new="    return True\n",
        campaign=TESTS,
        focus=ALIKE,
    ),
    Fault(
        name="a receiver's gate lets through as many as are wanted",
        path="reconciliation/protocol/room.py",
        old="min(wanted, profile.lookups_at_once - gate.under_way,",
        new="min(wanted, wanted,",
        campaign=TESTS,
        focus=MANY,
    ),
)
