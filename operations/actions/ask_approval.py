"""Opening a request for approval, and asking whether one is in force."""

from datetime import datetime, timedelta

from operations.actions.apply_event import apply_event
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Approval, Operation
from operations.protocol.payloads import parse_json
from operations.protocol.policies import Policy, required_policy
from operations.protocol.refusals import ApprovalRequired, Refusal
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ClaimEnd
from operations.protocol.transitions import Event
from operations.registry import money_of, policies

HELD_ROLE = "approver"
HELD_REQUEST_SECONDS = 7 * 24 * 3600
HELD_YES_SECONDS = 24 * 3600


def policy_for(operation: Operation, *, agent_name: str | None = None) -> Policy | None:
    """The policy that this operation's payload falls under, or None.

    `agent_name` spares a look when the caller knows whose operation it is.
    """
    held_against = policies(operation.environment)
    if not any(operation.kind in p.kinds or not p.kinds for p in held_against):
        return None
    payload = parse_json(operation.payload_text)
    if agent_name is None:
        agent_name = operation.agent.name if operation.agent else ""
    return required_policy(
        held_against,
        kind=operation.kind,
        environment=operation.environment,
        receiver=operation.receiver,
        agent=agent_name,
        payload=payload,
        money=money_of(operation.kind, payload),
    )


def open_request(
    operation: Operation,
    *,
    subject: ApprovalSubject,
    policy: Policy | None,
    actor: Actor,
    at: datetime,
    sentence: str = "",
    earlier: Approval | None = None,
    asked_by_id: int | None = None,
) -> Approval:
    """A new request, bound to the operation's digests and to the policy as it stands now.

    The requester, the token's owner, the responsible person and whoever asks now (`asked_by_id`,
    or else the actor) are excluded (rule 13). `earlier` is the round before, whose policy and
    exclusions go on to hold.
    """
    excluded = set[int | None](actor.responsible_ids)
    excluded |= set(earlier.excluded_ids if earlier else ())
    excluded |= {actor.person_id if asked_by_id is None else asked_by_id, operation.requested_by_id}
    if operation.agent and operation.agent_id != actor.agent_id:
        excluded.add(operation.agent.responsible_id)
    lives = policy.request_lives_seconds if policy else HELD_REQUEST_SECONDS
    return Approval.objects.create(
        operation=operation,
        subject=subject,
        round=earlier.round + 1 if earlier else 1,
        generation=operation.generation,
        version_seen=operation.version,
        payload_digest=operation.payload_digest,
        request_digest=operation.request_digest,
        policy_name=policy.name if policy else "",
        policy=policy.as_json() if policy else {},
        sentence=sentence or (policy.sentence if policy else ""),
        role=policy.role if policy else HELD_ROLE,
        needed=policy.needed if policy else 1,
        excluded_ids=sorted(pk for pk in excluded if pk is not None),
        requested_by_id=operation.requested_by_id,
        opened_at=at,
        expires_at=at + timedelta(seconds=lives),
        yes_lives_seconds=policy.yes_lives_seconds if policy else HELD_YES_SECONDS,
        asked_count=earlier.asked_count if earlier else 1,
    )


def latest_request(operation: Operation) -> Approval | None:
    """The newest request for the operation itself; proposals are another matter."""
    asked = operation.approvals.exclude(subject=ApprovalSubject.PROPOSAL)
    return asked.order_by("-id").first()


def valid_approval(operation: Operation, *, now: datetime) -> Approval | Refusal | None:
    """The approval in force for this generation, None when none is needed, else why it isn't.

    Judged by the request on record and, for a generation without one, by today's policies.
    """
    asked = latest_request(operation)
    if asked is None:
        needs = policy_for(operation)
        return ApprovalRequired(expected=f"{needs.needed} approvals", got="none") if needs else None
    if asked.generation != operation.generation:
        return ApprovalRequired(
            expected=f"an approval of generation {operation.generation}",
            got=f"one of generation {asked.generation}",
        )
    if asked.status != ApprovalStatus.GRANTED or asked.valid_until is None:
        return ApprovalRequired(
            expected=f"{asked.needed} approvals", got=f"{asked.given}, request {asked.status}"
        )
    if asked.valid_until <= now:
        return ApprovalRequired(
            expected="an approval in force", got=f"one that ended at {asked.valid_until:%H:%M:%S}"
        )
    bound = (asked.payload_digest, asked.request_digest)
    if bound != (operation.payload_digest, operation.request_digest):
        return ApprovalRequired(expected="an approval of these bytes", got="one of other bytes")
    return asked


def ask_for_new_round(
    operation: Operation, *, actor: Actor, at: datetime, asked_by_id: int | None = None
) -> Approval:
    """Back to `awaiting_approval` with a new round; the dispatch claim is void (section 2).

    `asked_by_id` is the person who asks for the send, where that is not the actor.
    """
    earlier = latest_request(operation)
    if earlier and earlier.status == ApprovalStatus.GRANTED:
        Approval.objects.filter(pk=earlier.pk, status=ApprovalStatus.GRANTED).update(
            status=ApprovalStatus.EXPIRED
        )
    end_claim(operation, end=ClaimEnd.VOIDED, at=at)
    apply_event(
        operation,
        Event.ASK_AGAIN,
        actor=actor,
        at=at,
        changes={"claim_given_back": True, "next_try_at": None},
        detail={"round": earlier.round + 1 if earlier else 1},
    )
    subject = ApprovalSubject(earlier.subject) if earlier else ApprovalSubject.OPERATION
    policy = policy_for(operation)
    if policy is None and earlier and earlier.policy:
        policy = Policy.from_json(earlier.policy)  # a change of policy loosens no open request
    return open_request(
        operation,
        subject=subject,
        policy=policy,
        actor=actor,
        at=at,
        # Its own reason to ask still holds; a policy says its sentence anew.
        sentence=earlier.sentence if earlier and subject != ApprovalSubject.OPERATION else "",
        earlier=earlier,
        asked_by_id=asked_by_id,
    )
