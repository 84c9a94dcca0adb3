"""Writes JSON answers without losing a digit: no floats, payloads exactly as they were sent."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse

from operations.protocol.payloads import dumps

JSON_TYPE = "application/json"
PROBLEM_TYPE = "application/problem+json"


def answer(
    members: Mapping[str, Any], *, status: int = 200, texts: Mapping[str, str] | None = None
) -> HttpResponse:
    """One JSON object. `texts` are members whose value is JSON text already, kept verbatim."""
    body = dumps(plain(members))
    if texts:
        added = ",".join(f'"{name}":{text}' for name, text in texts.items())
        body = f"{body[:-1]}{',' if members else ''}{added}}}"
    return said(body, status=status, content_type=JSON_TYPE)


def said(body: str, *, status: int, content_type: str) -> HttpResponse:
    """An answer that nobody on the way may keep: it is true only now, and for its caller."""
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(body, status=status, content_type=content_type, headers=headers)


def plain(value: Any) -> Any:
    """The same value with instants as RFC 3339 text in UTC and enum words as text."""
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return instant(value) if isinstance(value, datetime) else value


def instant(at: datetime) -> str:
    """`2025-11-30T10:04:11.123456Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
