"""Asking a receiver that only people can ask: whom, how, and what a good answer contains."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from operations.actions.entered_receipt import leaf_pointers
from operations.protocol.payloads import parse_json
from operations.queries.dossier import Dossier
from operations.web.detail.receipts import record_url

# A payload may have thousands of fields; a person on the telephone asks for no more.
SHOWN_FIELDS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """`fields` are named without their values: the answer has to come from the receiver's record.

    `runbook_url` is "" for a runbook in plain words. `counts_from` is None once the quarantine is
    over: before it "we have nothing" proves nothing.
    """

    receiver: str
    contact: str
    runbook: str
    runbook_url: str
    record_url: str
    key: str
    fields: Sequence[str]
    left_out: int
    is_whole: bool
    may_be_twice: bool
    counts_from: datetime | None


def asking_of(dossier: Dossier) -> Asking | None:
    """While people have to ask; None where it can be looked up, or nothing is open to be asked."""
    is_open = not dossier.facts.is_settled or bool(dossier.facts.open_reviews)
    if dossier.profile.has_lookup or not dossier.facts.attempts or not is_open:
        return None
    operation, profile = dossier.operation, dossier.profile
    payload = parse_json(operation.payload_text)
    pointers = leaf_pointers(payload, fields=profile.significant_fields)
    ends_at = dossier.facts.quarantine_ends_at(profile)
    return Asking(
        receiver=operation.receiver,
        contact=profile.contact,
        runbook=profile.runbook,
        runbook_url=profile.runbook if _is_link(profile.runbook) else "",
        record_url=record_url(operation),
        key=operation.key,
        fields=[_words(pointer) for pointer in pointers[:SHOWN_FIELDS]],
        left_out=max(0, len(pointers) - SHOWN_FIELDS),
        is_whole=profile.significant_fields is None,
        may_be_twice=not profile.deduplicates,
        counts_from=ends_at if ends_at and ends_at > dossier.now else None,
    )


def _is_link(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _words(pointer: str) -> str:
    names = (name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:])
    return " › ".join(names) or "the whole payload"
