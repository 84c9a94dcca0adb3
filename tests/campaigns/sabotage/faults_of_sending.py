"""Faults of claims, marks and calls."""

from tests.campaigns.sabotage.fault import (
    CLOCKS,
    DISPATCH,
    MARK,
    ORDERS,
    PAUSES,
    SCHEMA,
    SLOT,
    STATEFUL,
    WINDOWS,
    Fault,
)

FAULTS = (
    # The mark
    Fault(
        name="the mark comes after the call",
        path=DISPATCH,
        old="""    started_at = time.monotonic()
    try:
        attempt = mark_attempt(""",
        new="""    started_at = time.monotonic()
    call.sender.send(call.request, deadline_seconds=call.profile.send_within_seconds)
    try:
        attempt = mark_attempt(""",
        campaign=WINDOWS,
        focus="fine",
    ),
    Fault(
        name="the mark does not ask whose token it is",
        path=MARK,
        old="    if token != operation.claim_token or operation.claim_given_back:\n",
        new="    if operation.claim_token is None:\n",
        also=(
            (MARK, '            "claim_token =": token,\n', ""),
            (SCHEMA, "AND o.claim_token = NEW.token", ""),
        ),
        budget="30s",
        campaign=ORDERS,
        focus="the lease is over: send, claim",
    ),
    Fault(
        name="the mark does not ask whether the lease lasts",
        path=MARK,
        old="        or _lease_too_short(operation, at=now)\n",
        new="",
        also=(
            (MARK, '            "claim_expires_at >=": deadline,\n', ""),
            # An attempt without any seconds is refused by the database.
            (MARK, "min(profile.send_within_seconds, lease_left)", "profile.send_within_seconds"),
        ),
        budget="30s",
        campaign=ORDERS,
        focus="the lease is over: send, sweep",
    ),
    Fault(
        name="the mark does not heed a halt",
        path=MARK,
        old="        or _halted(standing)\n",
        new="",
        campaign=STATEFUL,
        focus="mark: halted",
    ),
    Fault(
        name="a halt does not wait for the marks under way",
        path="operations/actions/halt_dispatch.py",
        old="        _wait_for_marks()\n        at = clock.now()\n        standing",
        new="        at = clock.now()\n        standing",
        campaign=ORDERS,
        focus="claimed: send, halt",
        budget="30s",
    ),
    Fault(
        name="the mark does not ask for the approval",
        path=MARK,
        old="needs_yes = standing.has_request or policy_for(operation) is not None",
        new="needs_yes = False",
        campaign=STATEFUL,
        focus="mark: missing approval",
    ),
    Fault(
        name="the mark does not judge a release again",
        path=MARK,
        old="    if operation.generation == 1:\n        return None\n    profile",
        new="    if operation.generation >= 1:\n        return None\n    profile",
        campaign=STATEFUL,
        focus="mark: stale release",
    ),
    Fault(
        name="the mark goes through with a review open",
        path=MARK,
        old="or _held(standing)\n",
        new="\n",
        campaign=STATEFUL,
        focus="mark: open review",
    ),
    # The call
    Fault(
        name="the sender does not look at its deadline before the call",
        path=DISPATCH,
        old="    if seconds_left <= 0:\n",
        new="    if seconds_left <= -1_000_000:\n",
        # The call itself would end at once.
        also=((DISPATCH, "=seconds_left)", "=call.profile.send_within_seconds)"),),
        campaign=PAUSES,
        focus="dispatch what is due",
    ),
    Fault(
        name="a call that got no answer is made again",
        path="operations/receivers/sandbox.py",
        old="""        answer = call_once(request, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return answer
        body""",
        new="""        answer = call_once(request, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            answer = call_once(request, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return answer
        body""",
        campaign=WINDOWS,
        focus="lost",
    ),
    Fault(
        name="any error while sending sets the operation back to ready",
        path="operations/actions/record_outcome.py",
        old="    is_unsent = not isinstance(outcome, Answered) and outcome.sent is False\n",
        new="""    from operations.actions.apply_event import apply_event, lock_operation
    from operations.protocol.transitions import Event
    from django.db import transaction
    from operations import clock
    with transaction.atomic():
        row = lock_operation(attempt.operation_id)
        apply_event(row, Event.RELEASE, actor=actor, at=clock.now(), changes={"generation": 2,
            "next_try_at": clock.now(), "claim_given_back": True})
    return "again"
    is_unsent = not isinstance(outcome, Answered) and outcome.sent is False
""",
        campaign=WINDOWS,
        focus="lost",
    ),
    # Claims
    Fault(
        name="a claim does not ask whether the slot is free",
        path=SLOT,
        old="        AND (claim_token IS NULL OR claim_given_back OR claim_expires_at"
        " <= clock_timestamp())\n",
        new="",
        campaign=ORDERS,
        focus="ready: claim, another claim",
        budget="30s",
    ),
    Fault(
        name="a claim gets the token of the claim before",
        path=SLOT,
        old="    SET claim_token = nextval('operations_fencing_token'),\n",
        new="    SET claim_token = COALESCE(claim_token, nextval('operations_fencing_token')),\n",
        also=((SCHEMA, "models.BigIntegerField(unique=True)", "models.BigIntegerField()"),),
        campaign=ORDERS,
        focus="the lease is over: claim, sweep leases",
        budget="30s",
    ),
    Fault(
        name="a look-up is allowed before the send deadline",
        path=SLOT,
        old='"" if dispatches else _AFTER_THE_DEADLINE',
        new='""',
        campaign=STATEFUL,
        focus="look-up: before the deadline",
    ),
    Fault(
        name="a lease is over by the worker's clock",
        path="operations/actions/claim_operation.py",
        old="        and operation.claim_expires_at > now\n",
        new="        and operation.claim_expires_at > datetime.now(tz=now.tzinfo)\n",
        campaign=CLOCKS,
        focus="a clock off by 2592000 s",
    ),
)
