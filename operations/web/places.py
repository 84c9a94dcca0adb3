"""The forms of the operation page by their place: which form a person sent, or could send."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from operations.models import Operation
from operations.protocol.states import ChoiceCode, Finding, Question
from operations.queries.dossier import Dossier
from operations.queries.review_exits import exits_of
from operations.registry import configuration_of
from operations.templatetags.looks import QUESTIONS
from operations.web.forms.approval import ApprovalForm
from operations.web.forms.attestation import AttestationForm
from operations.web.forms.cases import NoteForm, TakeForm
from operations.web.forms.decision import DecisionForm, ReasonForm
from operations.web.forms.follow_ups import CompensationForm, FollowUpForm
from operations.web.forms.settling import (
    AnswerForm,
    EvidenceForm,
    FindingForm,
    ReviewForm,
    SenderGoneForm,
)

type Data = Mapping[str, Any] | None

PROPOSAL, REQUEST = "proposal", "request"


class Place(NamedTuple):
    """A choice's form, or that of one review or proposal (`pk`) among several."""

    name: str
    pk: int = 0

    def __str__(self) -> str:
        return f"{self.name}-{self.pk}" if self.pk else self.name


def form_at(place: Place, dossier: Dossier, data: Data = None) -> DecisionForm:
    """The form at that place as the operation stands; bound when `data` came with a request."""
    common = {"version": dossier.operation.version, "place": str(place)}
    return _BUILD[place.name](place, dossier, data, common)


def _reason(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> DecisionForm:
    return ReasonForm(data, **common)


def _plain(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> DecisionForm:
    return DecisionForm(data, **common)


def _attestation(
    place: Place, dossier: Dossier, data: Data, common: dict[str, Any]
) -> AttestationForm:
    form = AttestationForm(
        data,
        payload_text=dossier.operation.payload_text,
        significant_fields=dossier.profile.significant_fields,
        **common,
    )
    form.offer_to_insist(is_offered=data is not None)
    return form


def _finding(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> FindingForm:
    return FindingForm(data, has_lookup=dossier.profile.has_lookup, **common)


def _follow_up(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> FollowUpForm:
    old = dossier.operation
    initial = {"payload_text": old.payload_text, "goal": old.goal}
    return FollowUpForm(data, initial=initial, **_configured(old), **common)


def _compensation(
    place: Place, dossier: Dossier, data: Data, common: dict[str, Any]
) -> CompensationForm:
    reviews = [
        (review.pk, QUESTIONS[Question(review.question)].word)
        for review in dossier.reviews
        if Finding.COMPENSATE in {way.finding for way in _ways(review.pk, dossier)}
    ]
    return CompensationForm(data, reviews=reviews, **_configured(dossier.operation), **common)


def _configured(operation: Operation) -> dict[str, list[str]]:
    settled = configuration_of(operation.environment)
    there = (name for place, name in settled.receivers if place == operation.environment)
    return {"kinds": sorted(settled.kinds), "receivers": sorted(there)}


def _take(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> TakeForm:
    return TakeForm(data, **common)


def _note(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> NoteForm:
    return NoteForm(data, **common)


def _review(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> ReviewForm:
    ways = _ways(place.pk, dossier)
    confirms = {Finding.CONFIRMED_ATTESTED, Finding.CORRECTED} & {way.finding for way in ways}
    receipts = [
        (row.pk, f"{row.channel}, effect {row.effect_id}")
        for row in dossier.receipts
        if confirms and row.effect_id
    ]
    return ReviewForm(data, ways=ways, receipts=receipts, **common)


def _ways(review_id: int, dossier: Dossier) -> Any:
    """The exits of an open review; none once it is closed."""
    review = next((row for row in dossier.reviews if row.pk == review_id), None)
    if review is None:
        return ()
    return exits_of(review, dossier.operation, has_attempt=bool(dossier.attempts))


def _evidence(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> EvidenceForm:
    receipts = [
        (f"receipt-{row.pk}", f"{row.channel} receipt, effect {row.effect_id or 'not named'}")
        for row in dossier.receipts
        if row.needs_explanation and not hasattr(row, "explanation")
    ]
    reports = [
        (f"attempt_end-{end.pk}", f"report “{end.outcome}” under token {end.token}")
        for attempt in dossier.attempts
        for end in attempt.ends.all()
        if end.is_stale and not hasattr(end, "explanation")
    ]
    return EvidenceForm(data, evidence=[*receipts, *reports], **common)


def _sender_gone(
    place: Place, dossier: Dossier, data: Data, common: dict[str, Any]
) -> SenderGoneForm:
    known = {facts.generation: facts.is_closed for facts in dossier.facts.attempts}
    generations = [
        (str(row.generation), f"generation {row.generation}, marked by {row.sender}")
        for row in dossier.attempts
        if not known[row.generation]
    ]
    return SenderGoneForm(data, generations=generations, **common)


def _answer(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> AnswerForm:
    return AnswerForm(data, **common)


def _request(place: Place, dossier: Dossier, data: Data, common: dict[str, Any]) -> ApprovalForm:
    return ApprovalForm(data, digest=dossier.operation.payload_digest, **common)


_BUILD: Mapping[str, Callable[[Place, Dossier, Data, dict[str, Any]], DecisionForm]] = {
    ChoiceCode.LOOK_UP: _plain,
    ChoiceCode.ATTEST: _attestation,
    ChoiceCode.NOT_EXECUTED: _finding,
    ChoiceCode.RELEASE: _reason,
    ChoiceCode.SUPERSEDE: _follow_up,
    ChoiceCode.COMPENSATE: _compensation,
    ChoiceCode.CANCEL: _reason,
    ChoiceCode.TAKE: _take,
    ChoiceCode.HAND_BACK: _plain,
    ChoiceCode.NOTE: _note,
    ChoiceCode.SET_ASIDE: _evidence,
    ChoiceCode.CLOSE_ATTEMPT: _sender_gone,
    ChoiceCode.SETTLE_REVIEW: _review,
    PROPOSAL: _answer,
    REQUEST: _request,
}
