"""What each call takes. A member that is not listed is refused, never ignored."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from operations.api.body import PAYLOAD_BYTES
from operations.api.values import (
    LARGEST,
    fencing_token,
    one_of,
    reported_text,
    text,
    unknown_member,
    whole_number,
)
from operations.protocol.states import AttemptOutcome, Executor

Token = Annotated[int | None, fencing_token()]
TOKEN = Field(default=None, description="Without one, or with another's, it is refused.")
Version = Annotated[int, whole_number(1, LARGEST)]
LeaseSeconds = Annotated[int, whole_number(5, 300)]
Nonce = Annotated[str, text(0, 200)]
Holder = Annotated[str, text(1, 200)]
Name = Annotated[str, text(0, 200)]
Words = Annotated[str, text(0, 4_000)]
OperationId = Annotated[str, text(1, 80)]
Reason = Annotated[str, text(1, 4_000)]
Said = Annotated[str, reported_text(4_000)]
Raw = Annotated[str, reported_text(PAYLOAD_BYTES)]
Status = Annotated[int, whole_number(100, 599)]
ExecutorWord = Annotated[str, one_of(Executor)]
EndingWord = Annotated[str, one_of((AttemptOutcome.UNKNOWN, AttemptOutcome.NOT_SENT))]


class Members(BaseModel):
    """An object whose members are all known."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_members(cls, value: Any) -> Any:
        """Before anything else is judged: a member that is not known may change all the rest."""
        for name in value if isinstance(value, dict) else ():
            if name not in cls.model_fields:
                raise unknown_member(name, cls.model_fields)
        return value


class NoMembers(Members):
    """No body, or an empty object."""


class RegistrationBody(Members):
    """One business effect, named by `key` in its environment for ever."""

    key: str
    kind: str
    receiver: str
    environment: str
    payload: Any
    executor: ExecutorWord | None = None
    goal: Words | None = None
    reference: Name | None = None
    context: Any = None
    supersedes: OperationId | None = None
    compensates: OperationId | None = None


class ClaimBody(Members):
    """The right to dispatch for `lease_seconds`; the same `nonce` gets the same claim again."""

    holder: Holder
    version: Version
    lease_seconds: LeaseSeconds
    nonce: Nonce | None = None


class MarkBody(Members):
    """Marks before the send."""

    token: Token = TOKEN
    nonce: Nonce | None = None


class ReceiptBody(Members):
    """A receipt as the receiver gave it, and the raw answer it was read from, as text."""

    token: Token = TOKEN
    receipt: Any
    raw: Raw | None = None


class RefusalBody(Members):
    """The receiver's no: HTTP status, its own error code, and the raw answer as text."""

    token: Token = TOKEN
    status: Status | None = None
    code: Said | None = None
    raw: Raw


class EndBody(Members):
    """How an attempt ended without a receipt."""

    token: Token = TOKEN
    outcome: EndingWord
    detail: Said
    raw: Raw | None = None


class CancellationBody(Members):
    """Withdraws an unsent request."""

    version: Version
    reason: Reason
