"""Faults of receipts, releases, answers and the trail."""

from tests.campaigns.sabotage.fault import (
    ORDERS,
    RECEIPTS,
    RELEASE,
    SCHEMA,
    SETTLEMENT,
    STATEFUL,
    TESTS,
    WINDOWS,
    Fault,
)

FAULTS = (
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
        focus="receipt: foreign environment",
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
        focus="receipt: stale report",
    ),
    Fault(
        name="a late receipt opens no review",
        path=SETTLEMENT,
        old="question=Question.LATE_RECEIPT, needs_explanation=True",
        new="needs_explanation=True",
        campaign=ORDERS,
        focus="refused: supersede, webhook",
        budget="30s",
    ),
    Fault(
        name="a definite refusal settles though another attempt is on record",
        path="operations/actions/record_refusal.py",
        old="        and standing.attempt_count == 1\n",
        new="",
        campaign=STATEFUL,
        focus="refusal: two attempts",
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
        old="    if last_at is None or ends_at is None or ends_at <= now:\n",
        new="    if last_at is None or ends_at is None or ends_at:\n",
        # A look-up counts only when it was asked after the quarantine.
        also=(
            (
                RELEASE,
                "max(ends_at, now - timedelta(seconds=FRESH_SECONDS))",
                "now - timedelta(minutes=1)",
            ),
        ),
        campaign=STATEFUL,
        focus="release: quarantine",
    ),
    Fault(
        name="a release takes an old look-up",
        path=RELEASE,
        old="    oldest_at = max(ends_at, now - timedelta(seconds=FRESH_SECONDS))\n",
        new="    oldest_at = ends_at\n",
        campaign=STATEFUL,
        focus="release: old look-up",
    ),
    Fault(
        name="a release does not mind unexplained evidence",
        path=RELEASE,
        old="    if facts.unexplained:\n        newest",
        new="    if False:\n        newest",
        campaign=STATEFUL,
        focus="release: unexplained evidence",
    ),
    Fault(
        name="a release takes one person",
        path=RELEASE,
        old="    return profile.second_person or not profile.deduplicates\n",
        new="    return False\n",
        campaign=STATEFUL,
        focus="release: second person",
    ),
    Fault(
        name="a release does not ask whether the key still protects",
        path=RELEASE,
        old="    if ends_at is not None and earliest < ends_at:\n        return []\n",
        new="    return []\n",
        campaign=STATEFUL,
        focus="release: key window",
    ),
    Fault(
        name="a release does not ask whether the attempt is closed",
        path=RELEASE,
        old="    if profile.deduplicates or not open_ones:\n        return\n",
        new="    if open_ones or not open_ones:\n        return\n",
        campaign=STATEFUL,
        focus="release: open attempt",
    ),
    Fault(
        name="a rejection is not final",
        path=RELEASE,
        old="    if facts.approval_status is ApprovalStatus.REJECTED:\n",
        new="    if False:\n",
        campaign=STATEFUL,
        focus="release: rejected",
    ),
    # Asking and answering
    Fault(
        name="the same key with another payload is the same request",
        path="operations/actions/observe_operation.py",
        old="    for row in differences(payload, wanted.payload, money=amount):\n",
        new="    for row in differences(payload, payload, money=amount):\n",
        campaign=STATEFUL,
        focus="register: another payload",
    ),
    Fault(
        name="a request that was decided can be decided again",
        path="operations/actions/decide_approval.py",
        old="    require_open(approval, begun.user)\n",
        new="",
        also=((SCHEMA, "OR a.status <> 'open'", ""),),
        campaign=ORDERS,
        focus="one approval is needed: an approver says yes, an approver says no",
        budget="30s",
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
        campaign=ORDERS,
        focus="sent: sweep leases",
        budget="30s",
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
