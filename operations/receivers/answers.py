"""Reading what JSON receivers answer, without judging it."""

import email.utils
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from operations.protocol.json_values import MISSING, Missing
from operations.protocol.payloads import JSON, MalformedJSON, TooLarge, parse_json
from operations.receivers.http_call import MAX_ANSWER_BYTES

# A payload may be nested 64 deep, and a list in an envelope carries it some levels further down.
MAX_DEPTH = 80
LONGEST_RETRY_SECONDS = 86_400


def read_json(raw: bytes) -> JSON | Missing:
    """The JSON value in a body; MISSING when there is none that can be compared exactly."""
    try:
        return parse_json(raw, max_bytes=MAX_ANSWER_BYTES, max_depth=MAX_DEPTH, keeps_any_text=True)
    except (MalformedJSON, TooLarge):
        return MISSING


def read_json_object(raw: bytes) -> dict[str, JSON] | None:
    """The JSON object in a body; None when it is anything else."""
    value = read_json(raw)
    return value if isinstance(value, dict) else None


def read_retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> int | None:
    """Retry-After in seconds, given in seconds or as a date; at most a day, None when unusable."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return min(int(text), LONGEST_RETRY_SECONDS)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    seconds = (at - (now or datetime.now(tz=UTC))).total_seconds()
    return min(max(0, round(seconds)), LONGEST_RETRY_SECONDS)
