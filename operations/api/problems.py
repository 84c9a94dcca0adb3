"""Refusals as RFC 9457 problem documents: code, sentence, remedy, and what they are about."""

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from operations.api.answers import PROBLEM_TYPE, plain, said
from operations.protocol.payloads import dumps
from operations.protocol.refusals import (
    InvalidField,
    InvalidKey,
    InvalidPayload,
    MalformedJSON,
    RateLimited,
    Refusal,
    StaleClaim,
    StaleVersion,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

# Members of a refusal that go into the document as they are.
TOLD = (
    *("field", "expected", "got", "reason", "pointer", "count", "differences", "mistakes"),
    *("generation", "since", "until", "holder", "purpose", "opens_at", "closed_code"),
    *("scope", "by", "ceiling", "retry_after_seconds"),
)
# The field of refusals whose sentence names it without a member.
FIELDS: dict[type[Refusal], str] = {
    InvalidKey: "key",
    TooLarge: "body",
    StaleVersion: "version",
    StaleClaim: "token",
    Unauthenticated: "Authorization",
}


class Unexpected(Refusal):
    """A mistake of ours. Nothing is known of what became of the request. No members."""

    code: ClassVar[str] = "unavailable"
    status: ClassVar[int] = 500
    sentence: ClassVar[str] = (
        "Something unexpected happened: expected an answer, got an internal error; "
        "what became of this request is not known."
    )
    remedy_text: ClassVar[str] = "Observe before you act. After a failed mark do not send."


def problem(
    request: HttpRequest, refusal: Refusal, *, operation: dict[str, Any] | None = None
) -> HttpResponse:
    """The answer to a refused request; `operation` is its current record, for its owner only."""
    members = refusal.members
    document: dict[str, Any] = {
        "type": f"urn:opsconsole:problem:{refusal.code}",
        "title": refusal.code.replace("_", " ").capitalize(),
        "status": refusal.status,
        "code": refusal.code,
        "detail": refusal.detail,
        "remedy": refusal.remedy,
        "instance": escape_uri_path(request.path),
        "request_id": getattr(request, "request_id", ""),
        **{name: _told(members[name]) for name in TOLD if name in members},
    }
    field = _field(refusal)
    if field is not None:
        document["field"] = field
    if operation is not None:
        document["operation"] = operation
    body = dumps(plain(document))
    response = said(body, status=refusal.status, content_type=PROBLEM_TYPE)
    for name, value in _headers(refusal).items():
        response[name] = value
    return response


def _field(refusal: Refusal) -> str | None:
    named = refusal.members.get("field")
    if isinstance(refusal, InvalidPayload) and not isinstance(refusal, InvalidField):
        return f"payload{named}"
    if isinstance(refusal, MalformedJSON):
        return str(refusal.members.get("pointer") or "body")
    if named is not None:
        return str(named)
    return FIELDS.get(type(refusal))


def _told(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_told(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _told(member) for name, member in value.items()}
    is_plain = value is None or isinstance(value, bool | int | str)
    return value if is_plain or hasattr(value, "isoformat") else str(value)


def _headers(refusal: Refusal) -> dict[str, str]:
    if isinstance(refusal, RateLimited | Unavailable):
        return {"Retry-After": str(refusal.members["retry_after_seconds"])}
    if isinstance(refusal, Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="opsconsole"'}
    return {}
