"""The faults: what somebody could plausibly write in the product, and who finds each."""

from dataclasses import dataclass

WINDOWS, ORDERS, PAUSES, CLOCKS = "windows", "interleavings", "pauses", "clocks"
STATEFUL, MODEL = "stateful", "model"
# Not a campaign: the tests in the file that `focus` names.
TESTS = "tests"

MARK = "operations/actions/mark_attempt.py"
DISPATCH = "operations/actions/dispatch_operation.py"
SLOT = "operations/actions/take_slot.py"
RECEIPTS = "operations/protocol/receipts.py"
RELEASE = "operations/protocol/release.py"
SETTLEMENT = "operations/protocol/settlement.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`old` stands once in `path` and becomes `new`; `campaign`, narrowed to `focus`, finds it.

    `also`: further places (path, old, new) where the same rule is kept a second time, since a
    fault in one of them alone changes nothing.
    """

    name: str
    path: str
    old: str
    new: str
    campaign: str
    focus: str = ""
    also: tuple[tuple[str, str, str], ...] = ()
    budget: str = "60s"

    @property
    def edits(self) -> tuple[tuple[str, str, str], ...]:
        """Every place to change, as (path, old, new)."""
        return ((self.path, self.old, self.new), *self.also)

    @property
    def killer(self) -> str:
        """The campaign and what of it."""
        return f"{self.campaign} ({self.focus})" if self.focus else self.campaign


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
        also=((MARK, '            "claim_token =": token,\n', ""),),
        campaign=ORDERS,
        focus="the lease is over: send, claim",
    ),
    Fault(
        name="the mark does not ask whether the lease lasts",
        path=MARK,
        old="        or _lease_too_short(operation, at=now)\n",
        new="",
        also=((MARK, '            "claim_expires_at >=": deadline,\n', ""),),
        campaign=ORDERS,
        focus="the lease is over: send, sweep",
    ),
    Fault(
        name="the mark does not heed a halt",
        path=MARK,
        old="        or _halted(standing)\n",
        new="",
        campaign=STATEFUL,
    ),
    Fault(
        name="a halt does not wait for the marks under way",
        path="operations/actions/halt_dispatch.py",
        old="            _wait_for_marks()\n            at = clock.now()",
        new="            at = clock.now()",
        campaign=ORDERS,
        focus="claimed: send, halt",
    ),
    Fault(
        name="the mark does not ask for the approval",
        path=MARK,
        old="needs_yes = standing.has_request or policy_for(operation) is not None",
        new="needs_yes = False",
        campaign=STATEFUL,
    ),
    Fault(
        name="the mark does not judge a release again",
        path=MARK,
        old="    if operation.generation == 1:\n        return None\n    profile",
        new="    if operation.generation >= 1:\n        return None\n    profile",
        campaign=STATEFUL,
    ),
    Fault(
        name="the mark goes through with a review open",
        path=MARK,
        old="or _held(standing)\n",
        new="\n",
        campaign=STATEFUL,
    ),
    # The call
    Fault(
        name="the sender does not look at its deadline before the call",
        path=DISPATCH,
        old="    if seconds_left <= 0:\n",
        new="    if seconds_left <= -1_000_000:\n",
        campaign=PAUSES,
        focus="dispatcher",
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
    ),
    Fault(
        name="a claim gets the token of the claim before",
        path=SLOT,
        old="    SET claim_token = nextval('operations_fencing_token'),\n",
        new="    SET claim_token = COALESCE(claim_token, nextval('operations_fencing_token')),\n",
        campaign=ORDERS,
        focus="the lease is over: send, claim",
    ),
    Fault(
        name="a look-up is allowed before the send deadline",
        path=SLOT,
        old='"" if dispatches else _AFTER_THE_DEADLINE',
        new='""',
        campaign=STATEFUL,
    ),
    Fault(
        name="a lease is over by the worker's clock",
        path="operations/actions/claim_operation.py",
        old="        and operation.claim_expires_at > now\n",
        new="        and operation.claim_expires_at > datetime.now(tz=now.tzinfo)\n",
        campaign=CLOCKS,
        budget="90s",
    ),
    # Receipts
    Fault(
        name="the payloads are not compared",
        path=RECEIPTS,
        old="    found = _payload_differences(receipt, payload, profile, money)\n",
        new="    found: tuple[Difference, ...] = ()\n",
        campaign=WINDOWS,
        focus="changed",
    ),
    Fault(
        name="the operation that a receipt names is not compared",
        path=RECEIPTS,
        old="    if receipt.operation_key != key:\n",
        new="    if not receipt.operation_key:\n",
        campaign=WINDOWS,
        focus="other",
    ),
    Fault(
        name="the environment that a receipt names is not compared",
        path=RECEIPTS,
        old="    if receipt.environment not in (None, environment):\n",
        new="    if receipt.environment == 'nowhere':\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a pending receipt confirms",
        path=RECEIPTS,
        old="receipt.status is not ReceiptStatus.CONFIRMED or receipt.effect_id is None",
        new="receipt.effect_id is None",
        campaign=WINDOWS,
        focus="pending",
    ),
    Fault(
        name="a report under an older token confirms",
        path=SETTLEMENT,
        old="    if evidence.is_stale:\n        return Consequence(Verdict.KEPT",
        new="    if evidence.is_stale is None:\n        return Consequence(Verdict.KEPT",
        campaign=STATEFUL,
    ),
    Fault(
        name="a late receipt opens no review",
        path=SETTLEMENT,
        old="question=Question.LATE_RECEIPT, needs_explanation=True",
        new="needs_explanation=True",
        campaign=ORDERS,
        focus="refused: ",
    ),
    Fault(
        name="a definite refusal settles though another attempt is on record",
        path="operations/actions/record_refusal.py",
        old="        and standing.attempt_count == 1\n",
        new="",
        campaign=STATEFUL,
    ),
    Fault(
        name="a duplicate answer is taken for a refusal",
        path="operations/actions/record_refusal.py",
        old="    is_duplicate = code in DUPLICATE_CODES\n    is_definite = (",
        new="    is_duplicate = False\n    is_definite = (",
        campaign=WINDOWS,
        focus="duplicate",
    ),
    # Rule 3
    Fault(
        name="a release does not wait for the quarantine",
        path=RELEASE,
        old="    if deadline is None or ends_at is None or ends_at <= now:\n",
        new="    if deadline is None or ends_at is None or ends_at:\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a release takes an old look-up",
        path=RELEASE,
        old="    oldest_at = max(ends_at, now - timedelta(seconds=FRESH_SECONDS))\n",
        new="    oldest_at = ends_at\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a release does not mind unexplained evidence",
        path=RELEASE,
        old="    if facts.unexplained:\n        newest",
        new="    if False:\n        newest",
        campaign=STATEFUL,
    ),
    Fault(
        name="a release takes one person",
        path=RELEASE,
        old="    return profile.second_person or not profile.deduplicates\n",
        new="    return False\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a release does not ask whether the key still protects",
        path=RELEASE,
        old="    if ends_at is not None and earliest < ends_at:\n        return []\n",
        new="    return []\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a release does not ask whether the attempt is closed",
        path=RELEASE,
        old="    if profile.deduplicates or not open_ones:\n        return\n",
        new="    if open_ones or not open_ones:\n        return\n",
        campaign=MODEL,
    ),
    Fault(
        name="a rejection is not final",
        path=RELEASE,
        old="    if facts.approval_status is ApprovalStatus.REJECTED:\n",
        new="    if facts.approval_status is None:\n",
        campaign=MODEL,
    ),
    # Asking and answering
    Fault(
        name="the same key with another payload is the same request",
        path="operations/actions/observe_operation.py",
        old="    for row in differences(payload, wanted.payload, money=amount):\n",
        new="    for row in differences(payload, payload, money=amount):\n",
        campaign=STATEFUL,
    ),
    Fault(
        name="a request that was decided can be decided again",
        path="operations/actions/decide_approval.py",
        old="    require_open(approval, begun.user)\n",
        new="",
        campaign=ORDERS,
        focus="one approval is needed: an approver says yes, an approver says no",
    ),
    Fault(
        name="a sweep that finds a lease over sets the operation back to ready",
        path="operations/actions/expire_claims.py",
        old="    if claim.slot == Slot.MACHINE:\n        _hint(operation)\n",
        new="""    if claim.slot == Slot.MACHINE and operation.state == State.SENT_UNKNOWN:
        from operations.actions.apply_event import apply_event
        from operations.protocol.transitions import Event

        apply_event(operation, Event.RELEASE, actor=SWEEP, at=at, changes={
            "generation": operation.generation + 1, "next_try_at": at})
""",
        campaign=WINDOWS,
        focus="before-call",
    ),
    Fault(
        name="a hint leaves before its transaction is committed",
        path="operations/hints.py",
        old="    transaction.on_commit(send)\n",
        new="    send()\n",
        campaign=TESTS,
        focus="tests/operations/test_hints.py",
    ),
    Fault(
        name="a change is written without its audit entry",
        path="operations/actions/apply_event.py",
        old="    _write(operation, values, at=at, only_if=only_if)\n    append_entry(",
        new="    _write(operation, values, at=at, only_if=only_if)\n"
        "    if event is Event.CONFIRM:\n        return\n    append_entry(",
        campaign=WINDOWS,
        focus="fine",
    ),
)
