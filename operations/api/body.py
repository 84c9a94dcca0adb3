"""Reads request bodies strictly: what can't be compared or stored exactly is refused (rule P)."""

from typing import Any, cast

from django.http import HttpRequest
from ninja.parser import Parser

from operations.protocol.payloads import parse_json
from operations.protocol.refusals import InvalidHeader, TooLarge

PAYLOAD_BYTES = 1_048_576
# A report carries a receipt and the raw answer that it was read from, and the members around them.
BODY_BYTES = 2 * PAYLOAD_BYTES + 65_536
# A payload may be 64 levels deep, and a receipt's payload lies two levels down.
BODY_DEPTH = 66
# Where a sender says what a receiver said: odd text is evidence, kept and escaped, never refused.
REPORTS = ("/receipts", "/refusals", "/end")


class StrictParser(Parser):
    """The parser of rule P in place of ninja's; raises MalformedJSON and TooLarge."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The body's value; its numbers are exact, never floats."""
        is_report = request.path.endswith(REPORTS)
        value = parse_json(
            request.body,
            max_bytes=BODY_BYTES,
            max_depth=BODY_DEPTH,
            keeps_any_text=is_report,
        )
        return cast("dict[str, Any]", value)


def refuse_large_or_endless(request: HttpRequest) -> None:
    """Judge the announced length before a byte is read. Raises TooLarge, InvalidHeader."""
    length = request.headers.get("Content-Length", "")
    if request.headers.get("Transfer-Encoding") and not length:
        raise InvalidHeader(
            field="Content-Length", expected="the body's length in bytes", got="a chunked body"
        )
    if length.isascii() and length.isdigit() and int(length) > BODY_BYTES:
        raise TooLarge(field="body", expected=BODY_BYTES, got=int(length))
