"""The payload, the stored request and raw evidence: bounded previews, whole downloads."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from operations.models import Operation
from operations.protocol.states import LookupResult
from operations.queries.dossier import Dossier
from operations.templatetags.looks import LOOKUP_RESULTS

PREVIEW_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Text or bytes as they are kept; `is_cut` says that the preview is not all of it."""

    size: int
    text: str
    is_cut: bool
    url: str
    request_line: str
    request_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """One piece of evidence as it arrived; `raw` is its beginning when it is long."""

    icon: str
    title: str
    size: int
    raw: bytes
    is_cut: bool
    url: str


def payload_of(operation: Operation) -> Document:
    """The payload, and the request that was rendered at registration, if there is one."""
    whole = operation.payload_text.encode("utf-8", "surrogatepass")
    shown, is_cut = _preview(whole)
    line = _request_line(operation) if operation.request_digest else ""
    return Document(
        size=len(whole),
        text=shown.decode("utf-8", "replace"),
        is_cut=is_cut,
        url=reverse("operations:payload", args=[operation.pk]),
        request_line=line,
        request_url=reverse("operations:request", args=[operation.pk]) if line else "",
    )


def _request_line(operation: Operation) -> str:
    shown, is_cut = _preview(bytes(operation.request_body or b""))
    rest = "\n… the rest is in the download" if is_cut else ""
    head = f"{operation.request_method} {operation.request_url}"
    return f"{head}\n\n{shown.decode('utf-8', 'replace')}{rest}"


def raws_of(dossier: Dossier) -> list[Raw]:
    """What arrived from the receiver and from senders, the newest first."""
    found = sorted(_raws(dossier), key=lambda pair: pair[0], reverse=True)
    return [raw for _, raw in found]


def _raws(dossier: Dossier) -> Iterator[tuple[datetime, Raw]]:
    pk = dossier.operation.pk
    for receipt in dossier.receipts:
        url = reverse("operations:receipt_raw", args=[pk, receipt.pk])
        title = f"{receipt.channel} receipt, {receipt.received_at:%Y-%m-%d %H:%M:%S %Z}"
        yield receipt.received_at, raw_of("receipt", title, receipt.raw, url)
    for attempt in dossier.attempts:
        for end in attempt.ends.all():
            url = reverse("operations:end_raw", args=[pk, end.pk])
            title = (
                f"attempt {attempt.generation} ended: {end.outcome}, {end.at:%Y-%m-%d %H:%M:%S %Z}"
            )
            if end.raw:
                yield end.at, raw_of("worker", title, end.raw, url)
    for lookup in dossier.lookups:
        if lookup.receipt_id is None and lookup.raw:
            url = reverse("operations:lookup_raw", args=[pk, lookup.pk])
            word = LOOKUP_RESULTS[LookupResult(lookup.result)].word
            title = f"lookup: {word}, {lookup.asked_at:%Y-%m-%d %H:%M:%S %Z}"
            yield lookup.asked_at, raw_of("lookup", title, lookup.raw, url)


def raw_of(icon: str, title: str, raw: bytes | memoryview, url: str) -> Raw:
    """Its beginning to be shown, and where all of it can be had."""
    whole = bytes(raw or b"")
    shown, is_cut = _preview(whole)
    return Raw(icon=icon, title=title, size=len(whole), raw=shown, is_cut=is_cut, url=url)


def _preview(whole: bytes) -> tuple[bytes, bool]:
    return whole[:PREVIEW_BYTES], len(whole) > PREVIEW_BYTES
