"""A choice of a person is done at once, or proposed and done when a second one agrees (sect. 6)."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from operations.actions.apply_event import record_change
from operations.actions.ask_approval import latest_request
from operations.actions.begin_decision import Begun, Decided, basis, finish_decision
from operations.actions.closed_choice import closed
from operations.actions.people import require_uninvolved
from operations.models import Approval
from operations.protocol.payloads import digest
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ChoiceCode
from operations.queries.involvement import involved

PROPOSAL_SECONDS = 30 * 60
SECOND_ROLE = "operator or approver"

# Carries a choice out under the lock of `begun`, judging everything again; `terms` are plain JSON.
type CarryOut = Callable[[Begun, Mapping[str, Any], str], None]


def perform_or_propose(
    begun: Begun,
    *,
    choice: ChoiceCode,
    terms: Mapping[str, Any],
    reason: str,
    sentence: str,
    needs_second: bool,
    carry_out: CarryOut,
) -> Decided:
    """Carry the choice out now, or open a proposal that lives 30 minutes.

    Who had a part in the request may propose, never decide alone. Raises OwnRequest, ChoiceClosed
    when another proposal is open, and what `carry_out` raises.
    """
    if needs_second:
        proposal = open_proposal(begun, choice, terms=terms, reason=reason, sentence=sentence)
        finish_decision(begun, frees_case=True)
        return Decided(operation=begun.operation, proposal=proposal)
    require_uninvolved(begun.operation, begun.user)
    carry_out(begun, terms, reason)
    finish_decision(begun)
    return Decided(operation=begun.operation)


def open_proposal(
    begun: Begun, choice: ChoiceCode, *, terms: Mapping[str, Any], reason: str, sentence: str
) -> Approval:
    """The proposal, bound to the version that its own opening makes; any later one voids it.

    The entry keeps the digest of the terms, since they may name people.
    """
    operation, at = begun.operation, begun.at
    _require_no_other(begun, choice)
    record_change(
        operation,
        "propose",
        actor=begun.actor,
        at=at,
        reason=reason,
        detail={**basis(begun), "choice": str(choice), "terms_digest": digest(dict(terms))},
    )
    earlier = latest_request(operation)
    excluded = {begun.user.pk, *involved(operation), *(earlier.excluded_ids if earlier else ())}
    return Approval.objects.create(
        operation=operation,
        subject=ApprovalSubject.PROPOSAL,
        choice=str(choice),
        proposal={"reason": reason, "terms": dict(terms)},
        generation=operation.generation,
        version_seen=operation.version,
        payload_digest=operation.payload_digest,
        request_digest=operation.request_digest,
        sentence=sentence,
        role=SECOND_ROLE,
        excluded_ids=sorted(excluded),
        requested_by_id=begun.user.pk,
        opened_at=at,
        expires_at=at + timedelta(seconds=PROPOSAL_SECONDS),
        yes_lives_seconds=0,
    )


def _require_no_other(begun: Begun, choice: ChoiceCode) -> None:
    other = begun.operation.approvals.filter(
        subject=ApprovalSubject.PROPOSAL, status=ApprovalStatus.OPEN
    ).first()
    if other is not None:
        raise closed(
            choice,
            "proposal_open",
            f"the choice {other.choice} is proposed and waits for a second person.",
            "Another person agrees or rejects; it ends after 30 minutes or when the operation "
            "changes.",
        )
