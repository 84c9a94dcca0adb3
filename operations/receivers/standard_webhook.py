"""Signatures of Standard Webhooks v1, checked over the bytes as they came, whatever they are.

The package of that name decodes the body as UTF-8 first, and so can't tell a signed body that is
not text from one that nobody signed.
"""

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Iterator, Mapping, Sequence

HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
TOLERANCE_SECONDS = 300
LONGEST_ID = 255
_PREFIX = "whsec_"
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)


class NotSigned(Exception):
    """A delivery that this receiver did not sign now."""

    def __init__(self, *, expected: str, got: str) -> None:
        self.expected, self.got = expected, got
        super().__init__(f"expected {expected}, got {got}.")


def verify(secrets: Sequence[str], *, headers: Mapping[str, str], raw: bytes) -> str:
    """The webhook's id, once one of the secrets is found to have signed these bytes, and now.

    `headers` have lower-case names. Raises NotSigned.
    """
    missing = [name for name in HEADERS if not headers.get(name)]
    if missing:
        raise NotSigned(expected=", ".join(HEADERS), got=f"no {missing[0]}")
    webhook_id, timestamp, signature = (headers[name] for name in HEADERS)
    if len(webhook_id) > LONGEST_ID:
        expected = f"a webhook-id of at most {LONGEST_ID} characters"
        raise NotSigned(expected=expected, got=f"{len(webhook_id)}")
    _check_time(timestamp)
    signed = f"{webhook_id}.{timestamp}.".encode() + raw
    given = list(_signatures(signature))
    if not any(_has_signed(secret, signed, given) for secret in secrets):
        got = "another one" if given else "none of version 1"
        raise NotSigned(expected="a signature (v1) with this receiver's secret", got=got)
    return webhook_id


def _check_time(timestamp: str) -> None:
    expected = f"a webhook-timestamp within {TOLERANCE_SECONDS} seconds of now"
    if not _SECONDS.fullmatch(timestamp):
        raise NotSigned(expected=expected, got="no whole number of seconds")
    age_seconds = time.time() - int(timestamp)
    if abs(age_seconds) > TOLERANCE_SECONDS:
        raise NotSigned(expected=expected, got=f"{age_seconds:.0f} seconds ago")


def _signatures(header: str) -> Iterator[bytes]:
    """Those of version 1; one that is not base64 is none."""
    for each in header.split(" "):
        version, _, text = each.partition(",")
        if version != "v1":
            continue
        try:
            yield base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            continue


def _has_signed(secret: str, signed: bytes, given: list[bytes]) -> bool:
    try:
        # Padding may be left out of a secret; more of it than is needed does no harm.
        key = base64.b64decode(secret.removeprefix(_PREFIX) + "==")
    except (binascii.Error, ValueError):
        return False
    right = hmac.new(key, signed, hashlib.sha256).digest()
    return bool(key) and any(hmac.compare_digest(right, each) for each in given)
