"""Claiming one of one's own operations, renewing the claim, giving it back, and the mark."""

from django.http import HttpRequest, HttpResponse

from operations.actions.claim_operation import claim_operation
from operations.actions.give_back_claim import give_back_claim
from operations.actions.mark_attempt import mark_attempt
from operations.actions.renew_claim import renew_claim
from operations.api.answers import answer
from operations.api.bodies import ClaimBody, MarkBody, NoMembers
from operations.api.caller import caller
from operations.api.outlines import ATTEMPT, CLAIM, OPERATION, PROBLEMS
from operations.api.queries import takes_query
from operations.api.reach import own_operation, token_of_path
from operations.api.representation import operation_members
from operations.api.router import router
from operations.models import Claim
from operations.queries.operation_records import record_of

NOTHING = NoMembers()


@router.post("/{operation_id}/claims", response={201: CLAIM, **PROBLEMS}, summary="Claim")
@takes_query()
def claim(request: HttpRequest, operation_id: str, body: ClaimBody) -> HttpResponse:
    """The exclusive right to dispatch, with a lease and a fencing token."""
    operation = own_operation(request, operation_id)
    taken = claim_operation(
        operation_id=operation.pk,
        actor=caller(request).actor,
        version=body.version,
        holder=body.holder,
        lease_seconds=body.lease_seconds,
        nonce=body.nonce or "",
    )
    return _claim_answer(taken, status=201)


@router.post(
    "/{operation_id}/claims/{token}/renewal",
    response={200: CLAIM, **PROBLEMS},
    summary="Renew a claim",
)
@takes_query()
def renewal(
    request: HttpRequest, operation_id: str, token: str, body: NoMembers = NOTHING
) -> HttpResponse:
    """The same lease again, counted from now; it never moves a send deadline."""
    operation = own_operation(request, operation_id)
    renewed = renew_claim(
        operation_id=operation.pk, actor=caller(request).actor, token=token_of_path(token)
    )
    return _claim_answer(renewed, status=200)


@router.delete(
    "/{operation_id}/claims/{token}",
    response={200: OPERATION, **PROBLEMS},
    summary="Give a claim back",
)
@takes_query()
def giving_back(
    request: HttpRequest, operation_id: str, token: str, body: NoMembers = NOTHING
) -> HttpResponse:
    """From now on the token is not current."""
    operation = own_operation(request, operation_id)
    freed = give_back_claim(
        operation_id=operation.pk, actor=caller(request).actor, token=token_of_path(token)
    )
    return answer(operation_members(record_of(freed)))


@router.post(
    "/{operation_id}/attempts", response={201: ATTEMPT, **PROBLEMS}, summary="Mark before the send"
)
@takes_query()
def attempts(request: HttpRequest, operation_id: str, body: MarkBody) -> HttpResponse:
    """201: `sent_unknown` is on disk, send once. Any other answer, or none: do not send."""
    operation = own_operation(request, operation_id)
    attempt = mark_attempt(
        operation_id=operation.pk,
        actor=caller(request).actor,
        token=body.token,
        nonce=body.nonce or "",
    )
    return answer(
        {
            "generation": attempt.generation,
            "idempotency_key": attempt.idempotency_key,
            "payload_digest": attempt.payload_digest,
            "send_within_seconds": attempt.send_within_seconds,
        },
        status=201,
        texts={"payload": operation.payload_text},
    )


def _claim_answer(claim: Claim, *, status: int) -> HttpResponse:
    members = {
        "token": claim.token,
        "expires_at": claim.expires_at,
        "operation": operation_members(record_of(claim.operation)),
    }
    return answer(members, status=status)
