"""Collects what the protocol needs to judge operations: a fixed number of queries for any many."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from operations.models import Approval, Attempt, Halt, Lookup, Operation, Receipt, Review
from operations.protocol.choices import AttemptFacts, Facts, LookupFacts, ReceiptFacts
from operations.protocol.states import (
    ApprovalStatus,
    ApprovalSubject,
    AttemptOutcome,
    Cause,
    Channel,
    ChoiceCode,
    Executor,
    Grade,
    LookupResult,
    Purpose,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)
from operations.queries.halts import halts_in_force

LOOKUPS_KEPT = 50


def facts_of(operation: Operation, *, viewer: str = "") -> Facts:
    """The facts about one operation, as the caller's transaction sees them."""
    return facts_of_many([operation], viewer=viewer)[operation.pk]


def facts_of_many(operations: Sequence[Operation], *, viewer: str = "") -> dict[Any, Facts]:
    """Facts by operation id: nine queries, however many operations there are."""
    ids = [operation.pk for operation in operations]
    attempts = _grouped(
        Attempt.objects.filter(operation__in=ids)
        .prefetch_related("ends__explanation", "gone_records")
        .order_by("generation")
    )
    receipts = _grouped(
        Receipt.objects.filter(operation__in=ids)
        .select_related("explanation")
        .defer("raw", "payload_text")
        .order_by("received_at")
    )
    lookups = _grouped(
        Lookup.objects.filter(operation__in=ids)
        .only("operation_id", "asked_at", "result")
        .order_by("-asked_at")[: LOOKUPS_KEPT * max(1, len(ids))]
    )
    reviews = _grouped(Review.objects.filter(operation__in=ids, closed_at=None))
    approvals = _grouped(Approval.objects.filter(operation__in=ids).order_by("-id"))
    halts = list(halts_in_force())
    return {
        operation.pk: _facts(
            operation,
            attempts=attempts[operation.pk],
            receipts=receipts[operation.pk],
            lookups=lookups[operation.pk],
            reviews=reviews[operation.pk],
            approvals=approvals[operation.pk],
            halts=halts,
            viewer=viewer,
        )
        for operation in operations
    }


def _grouped(rows: Iterable[Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.operation_id].append(row)
    return groups


def _facts(
    operation: Operation,
    *,
    attempts: list[Attempt],
    receipts: list[Receipt],
    lookups: list[Lookup],
    reviews: list[Review],
    approvals: list[Approval],
    halts: list[Halt],
    viewer: str,
) -> Facts:
    request = next((a for a in approvals if a.subject != ApprovalSubject.PROPOSAL), None)
    proposal = next(
        (
            a
            for a in approvals
            if a.subject == ApprovalSubject.PROPOSAL and a.status == ApprovalStatus.OPEN
        ),
        None,
    )
    holds = not operation.claim_given_back
    return Facts(
        state=State(operation.state),
        cause=Cause(operation.cause) if operation.cause else None,
        grade=Grade(operation.grade) if operation.grade else None,
        executor=Executor(operation.executor),
        version=operation.version,
        generation=operation.generation,
        created_at=operation.created_at,
        state_since=operation.state_since,
        attempts=tuple(_attempt(a) for a in attempts),
        receipts=tuple(_receipt(r) for r in receipts) + tuple(_stale_reports(attempts)),
        lookups=tuple(
            LookupFacts(asked_at=row.asked_at, result=LookupResult(row.result)) for row in lookups
        ),
        open_questions=frozenset(Question(r.question) for r in reviews),
        approval_status=ApprovalStatus(request.status) if request else None,
        approval_expires_at=request.expires_at if request else None,
        machine_claim_purpose=(
            Purpose(operation.claim_purpose) if operation.claim_purpose and holds else None
        ),
        machine_claim_expires_at=operation.claim_expires_at if holds else None,
        review_holder=operation.review_holder.username if operation.review_holder else None,
        review_expires_at=operation.review_expires_at,
        next_try_at=operation.next_try_at,
        is_halted=any(
            h.environment in ("", operation.environment) and h.receiver in ("", operation.receiver)
            for h in halts
        ),
        proposal_open=ChoiceCode(proposal.choice) if proposal else None,
        claims_without_mark=operation.claims_without_mark,
        viewer=viewer or None,
        proposal_expires_at=proposal.expires_at if proposal else None,
    )


def _attempt(attempt: Attempt) -> AttemptFacts:
    end = next((e for e in attempt.ends.all() if not e.is_stale), None)
    gone_at = sorted(record.at for record in attempt.gone_records.all())[1:2]
    return AttemptFacts(
        generation=attempt.generation,
        marked_at=attempt.marked_at,
        send_deadline_at=attempt.send_deadline_at,
        outcome=AttemptOutcome(end.outcome) if end else None,
        gone_recorded=bool(gone_at),
        closed_at=end.at if end else next(iter(gone_at), None),
    )


def _receipt(receipt: Receipt) -> ReceiptFacts:
    explained = getattr(receipt, "explanation", None) is not None
    return ReceiptFacts(
        status=ReceiptStatus(receipt.status),
        verdict=Verdict(receipt.verdict),
        channel=Channel(receipt.channel),
        effect_id=receipt.effect_id or None,
        is_unexplained=receipt.needs_explanation and not explained,
        received_at=receipt.received_at,
    )


def _stale_reports(attempts: list[Attempt]) -> Iterable[ReceiptFacts]:
    """A late report of an end speaks of an effect as much as a late receipt does (rule 4)."""
    for end in (end for attempt in attempts for end in attempt.ends.all()):
        if end.is_stale and getattr(end, "explanation", None) is None:
            yield ReceiptFacts(
                status=ReceiptStatus.PENDING,
                verdict=Verdict.KEPT,
                channel=Channel.RESPONSE,
                effect_id=None,
                is_unexplained=True,
                received_at=end.at,
            )
