"""What waits for a yes: requests for approval, and choices that another person has to agree to."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from operations.models import Approval, Receipt
from operations.protocol.profiles import dedup_ends_at
from operations.protocol.refusals import Refusal
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ChoiceCode, Finding
from operations.protocol.words import at_text, until_text
from operations.queries.dossier import Dossier
from operations.queries.involvement import why_not
from operations.web.detail.case import asked_by
from operations.web.detail.records import status_at
from operations.web.forms.decision import DecisionForm
from operations.web.forms.settling import FINDING_WORDS
from operations.web.panels import Submitted
from operations.web.places import PROPOSAL, REQUEST, Place, form_at

TARGET = "#operation"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the second person should know."""

    name: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """The two buttons, or why this person does not have them."""

    place: Place
    form: DecisionForm | None
    url: str = ""
    target: str = TARGET
    yes: str = ""
    no: str = "Reject"
    why_not: str = ""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalCard:
    """One open request or proposal; `reason` is the proposer's, "" for a request."""

    heading: str
    note: str
    given: int
    needed: int
    expires_at: datetime
    requested_by: str
    opened_at: datetime
    version_seen: int
    reason: str
    facts: Sequence[Fact]
    decide: Decide


def proposal_cards(dossier: Dossier, user: User, submitted: Submitted | None) -> list[ProposalCard]:
    """Those in force; what has ended is among the approvals."""
    return [
        _card(row, dossier, _decide(row, dossier, user, submitted))
        for row in dossier.approvals
        if status_at(row, dossier) is ApprovalStatus.OPEN
    ]


def _card(row: Approval, dossier: Dossier, decide: Decide) -> ProposalCard:
    is_proposal = row.subject == ApprovalSubject.PROPOSAL
    return ProposalCard(
        heading=f"Proposed: {row.sentence}" if is_proposal else _asks_for(row, dossier),
        note="Any new version voids it." if is_proposal else row.sentence,
        given=row.given,
        needed=row.needed,
        expires_at=row.expires_at,
        requested_by=_asker(row, dossier),
        opened_at=row.opened_at,
        version_seen=row.version_seen,
        reason=row.proposal["reason"] if is_proposal else "",
        facts=list(_facts(row, dossier)),
        decide=decide,
    )


def _decide(row: Approval, dossier: Dossier, user: User, submitted: Submitted | None) -> Decide:
    is_proposal = row.subject == ApprovalSubject.PROPOSAL
    place = Place(PROPOSAL if is_proposal else REQUEST, row.pk)
    answered = [decision.person_id for decision in row.decisions.all()]
    reason = why_not(row, dossier.operation, user, answered_ids=answered, now=dossier.now)
    if reason:
        return Decide(place=place, form=None, why_not=reason)
    sent = submitted if submitted and submitted.place == place else None
    return Decide(
        place=place,
        form=sent.form if sent else form_at(place, dossier),
        url=reverse(f"operations:{place.name}_answer", args=[dossier.operation.pk, row.pk]),
        yes="Agree and do it" if is_proposal else "Approve",
        refusal=sent.refusal if sent else None,
    )


def _asker(row: Approval, dossier: Dossier) -> str:
    if row.subject == ApprovalSubject.PROPOSAL and row.requested_by:
        return row.requested_by.username
    return asked_by(dossier.operation)


def _asks_for(row: Approval, dossier: Dossier) -> str:
    again = "" if row.generation == 1 else f" once more, as generation {row.generation}"
    return {
        ApprovalSubject.OPERATION: f"Asked for: send {dossier.operation.title}{again}",
        ApprovalSubject.POSSIBLE_DUPLICATE: "Asked for: say that these are two effects, not one",
        ApprovalSubject.SUPERSESSION: f"Asked for: send {dossier.operation.title} instead",
    }[ApprovalSubject(row.subject)]


def _facts(row: Approval, dossier: Dossier) -> Iterator[Fact]:
    if row.subject == ApprovalSubject.PROPOSAL:
        yield from _FACTS[ChoiceCode(row.choice)](row.proposal["terms"], dossier)
        return
    if row.policy_name:
        yield Fact("Policy", row.policy_name)
    yield Fact("Role", row.role)
    yield Fact("Bound to", f"payload digest {row.payload_digest[:16]}…, shown below")
    for answer in row.decisions.all():
        said = "yes" if answer.is_yes else "no"
        yield Fact(f"{answer.person.username}: {said}", answer.reason)


def _attested(terms: Mapping[str, Any], dossier: Dossier) -> Iterator[Fact]:
    receipt = _receipt(terms["receipt"], dossier)
    if receipt is None:
        return
    by = receipt.entered_by.username if receipt.entered_by else "somebody"
    yield Fact("Effect", receipt.effect_id)
    yield Fact("Entered by", f"{by}, compared field by field under Receipts")
    yield Fact("Read from", _evidence(receipt))


def _not_executed(terms: Mapping[str, Any], dossier: Dossier) -> Iterator[Fact]:
    if terms.get("named_answer"):
        yield Fact("Said at the receiver", terms["named_answer"])
    yield from _latest_lookup(dossier)


def _released(terms: Mapping[str, Any], dossier: Dossier) -> Iterator[Fact]:
    yield Fact("Opens", f"generation {terms['generation'] + 1}, the same bytes under the same key")
    yield from _latest_lookup(dossier)
    marked_at = dossier.facts.first_marked_at
    ends_at = dedup_ends_at(dossier.profile, marked_at) if marked_at else None
    known = f"until {until_text(ends_at, now=dossier.now)}" if ends_at else "not at all"
    yield Fact("Key protects", known)


def _set_aside(terms: Mapping[str, Any], dossier: Dossier) -> Iterator[Fact]:
    receipt = _receipt(terms.get("receipt"), dossier)
    if receipt is not None:
        yield Fact("Evidence", f"{receipt.channel} receipt, effect {receipt.effect_id or 'none'}")
    yield Fact("Finding", FINDING_WORDS[Finding(terms["finding"])])


def _settled(terms: Mapping[str, Any], dossier: Dossier) -> Iterator[Fact]:
    review = next((row for row in dossier.reviews if row.pk == terms["review"]), None)
    if review is not None:
        yield Fact("Question", review.reason)
    yield Fact("Finding", FINDING_WORDS[Finding(terms["finding"])])
    receipt = _receipt(terms.get("receipt"), dossier)
    if receipt is not None:
        yield Fact("Receipt", f"{receipt.channel}, effect {receipt.effect_id or 'none'}")


def _latest_lookup(dossier: Dossier) -> Iterator[Fact]:
    if dossier.lookups:
        latest = dossier.lookups[0]
        asked = at_text(latest.asked_at, now=dossier.now)
        yield Fact("Latest lookup", f"{latest.result.replace('_', ' ')}, asked {asked}")


def _receipt(pk: int | None, dossier: Dossier) -> Receipt | None:
    return next((row for row in dossier.receipts if row.pk == pk), None)


def _evidence(receipt: Receipt) -> str:
    """Where the person who entered it read it; the bytes kept are ours, so they are JSON."""
    return str(json.loads(bytes(receipt.raw)).get("evidence", ""))


_FACTS: Mapping[ChoiceCode, Callable[[Mapping[str, Any], Dossier], Iterator[Fact]]] = {
    ChoiceCode.ATTEST: _attested,
    ChoiceCode.NOT_EXECUTED: _not_executed,
    ChoiceCode.RELEASE: _released,
    ChoiceCode.SET_ASIDE: _set_aside,
    ChoiceCode.SETTLE_REVIEW: _settled,
}
