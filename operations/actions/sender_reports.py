"""Whether a sender may still report, and the end of its attempt and claim."""

from django.db import connection

from operations import rows
from operations.actions.own_claim import refuse_foreign_token
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Attempt, AttemptEnd, Operation
from operations.protocol.refusals import NotFound, Refusal
from operations.protocol.states import AttemptOutcome, ClaimEnd
from operations.queries.standing import ReportStanding


def token_standing(
    operation: Operation, standing: ReportStanding, *, actor: Actor, token: int | None
) -> bool | Refusal:
    """True under the reporter's current token, False under an older one of its own, else a refusal.

    A token is current until a higher one is issued or it is given back; expiry alone stops marks
    and renewals, not reports (rule 4). A missing or foreign one, such as one that was issued to
    the dispatcher, is refused and audited.
    """
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        return NotFound(what="operation", got=str(operation.pk))
    if standing.claim_end is None:
        return refuse_foreign_token(operation, actor=actor, at=standing.now, token=token)
    # The row says it, and not the ledger: a claim that had ended before can be given back too.
    return token == operation.claim_token and not operation.claim_given_back


def attempt_under(operation: Operation, token: int | None) -> Attempt | None:
    """The attempt that was marked under this token, if there is one."""
    return operation.attempts.filter(token=token).first() if token else None


def finish_attempt(
    operation: Operation,
    standing: ReportStanding,
    *,
    outcome: AttemptOutcome,
    token: int | None,
    detail: str = "",
    raw: bytes = b"",
    status: int | None = None,
    code: str = "",
) -> AttemptEnd | None:
    """Close the attempt of this token, free the machine slot and end its claim.

    The first end counts; a second report of the same attempt closes nothing more.
    """
    at = standing.now
    end = None
    if token and standing.attempt_id and not standing.is_attempt_ended:
        end = AttemptEnd(
            attempt_id=standing.attempt_id,
            outcome=str(outcome),
            detail=detail,
            status=status,
            code=code,
            raw=raw,
            at=at,
            token=token,
        )
        rows.insert(end)
    if token == operation.claim_token and standing.claim_end == "":
        end_claim(operation, end=ClaimEnd.FINISHED, at=at)
        # The token stays current until a higher one is issued; only the lease is over.
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE operations_operation SET claim_expires_at = %s WHERE id = %s",
                [at, operation.pk],
            )
        operation.claim_expires_at = at
    return end
