"""The audit trail: who did what, when and why, filtered, and recomputed while it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import AuditEntry
from operations.queries.audit_proof import prove_short_trail
from operations.queries.audit_search import found_entries, operation_named
from operations.roles import Ability
from operations.web.access import page
from operations.web.audit_filter import AuditFilter
from operations.web.audit_rows import AuditRow, audit_rows
from operations.web.paging import Page, place_in
from operations.web.rendering import render_region

PAGE_SIZE = 50
LONGEST_TRAIL = 5000  # a longer one is recomputed by `verify_audit`, not while a page waits


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainWord:
    """What was recomputed for this page, in words."""

    is_whole: bool
    word: str


@require_safe
@page(Ability.READ_AUDIT)
def audit(request: HttpRequest) -> HttpResponse:
    """One page of the entries that match, newest first."""
    asked = AuditFilter.read(request.GET)
    now = clock.now()
    after = place_in(request)
    entries: Sequence[AuditEntry] = []
    further = None
    if asked.search is not None:
        entries, further = found_entries(asked.search, after=after, limit=PAGE_SIZE)
    rows = audit_rows(entries)
    context = {
        "as_of": now,
        "here": request.get_full_path(),
        "entries": rows,
        "chain": _chain(asked, rows),
        "filter": asked,
        "page": Page(
            words=f"{len(rows)} entr{'y' if len(rows) == 1 else 'ies'}, newest first",
            first_url=asked.url() if after else "",
            next_url=asked.url(after=str(further)) if further else "",
        ),
    }
    return render_region(request, "operations/audit.html", "entries", context)


def _chain(asked: AuditFilter, rows: Sequence[AuditRow]) -> ChainWord:
    """One operation's whole trail when one was asked for, else the entries that are shown."""
    named = asked.given.get("operation")
    operation_id = operation_named(named) if named else None
    whole = _whole_trail(operation_id) if operation_id else None
    if whole is not None:
        return whole
    faulty = [row for row in rows if row.fault]
    if faulty:
        return ChainWord(is_whole=False, word=f"{len(faulty)} of these are not as written")
    return ChainWord(is_whole=True, word="each of these is as it was written")


def _whole_trail(operation_id: UUID) -> ChainWord | None:
    proof = prove_short_trail(operation_id, at_most=LONGEST_TRAIL)
    if proof is None:
        return None
    if proof.is_whole:
        return ChainWord(is_whole=True, word=f"chain whole, {proof.entry_count} entries")
    fault = proof.faults[0]
    return ChainWord(is_whole=False, word=f"chain broken at entry {fault.seq}: {fault.reason}")
