"""What to do about one receipt: what it means where it stands, and where that is done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse

from operations.models import Operation, Receipt
from operations.protocol.states import Question, ReceiptStatus, State, Verdict
from operations.registry import receiver_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Sentences in order, and the places they speak of as (address, words)."""

    sentences: Sequence[str]
    links: Sequence[tuple[str, str]]


def advice_of(receipt: Receipt) -> Advice:
    """For a receipt that was read with its operation and its explanation."""
    operation = receipt.operation
    if operation is None:
        there = reverse("reconciliation:receivers")
        return Advice(sentences=list(_orphan(receipt)), links=[(there, "Receivers")])
    page = reverse("operations:detail", args=[operation.pk])
    decide = (f"{page}#decision", "What can be done, on its operation’s page")
    explanation = getattr(receipt, "explanation", None)
    if explanation is not None:
        found = explanation.finding.replace("_", " ")
        said = f"People have said what it is: {found}. “{explanation.reason}”"
        return Advice(sentences=[said, "Nothing is left to do about it."], links=[decide])
    sentences = [_meaning(receipt, operation)]
    links = [decide]
    if names_another_effect(receipt):
        there = reverse("reconciliation:effects", args=[operation.pk])
        links.insert(0, (there, "Effects and attempts side by side"))
        sentences.append(
            f"{operation.effect_id} confirmed the operation before: compare both side by side "
            "before you decide which one is whose."
        )
    if receipt.needs_explanation:
        sentences.append(
            "Until somebody settles the review or sets it aside, with a reason, one more send and "
            "“not executed” stay closed."
        )
    return Advice(sentences=sentences, links=links)


def names_another_effect(receipt: Receipt) -> bool:
    """Whether its operation is confirmed by an effect with another id."""
    operation = receipt.operation
    return bool(
        operation
        and operation.effect_id
        and receipt.effect_id
        and receipt.effect_id != operation.effect_id
        and receipt.status != ReceiptStatus.REFUSED
    )


def _meaning(receipt: Receipt, operation: Operation) -> str:
    """The verdict's, unless what became of the operation since says more."""
    verdict = Verdict(receipt.verdict)
    is_asked = operation.reviews.filter(closed_at=None).exclude(question=Question.STALLED).exists()
    if verdict in (Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED) and is_asked:
        return f"{_CONFIRMS[verdict]}, and a question about the operation is open: see its page."
    if verdict in _CONFIRMS:
        return f"{_CONFIRMS[verdict]}: nothing is left to do."
    is_settling = receipt.status == ReceiptStatus.REFUSED and operation.state == State.REFUSED
    if verdict is Verdict.KEPT and is_settling:
        return "The receiver says no, and the operation is refused."
    return _MEANINGS[verdict]


def _orphan(receipt: Receipt) -> Iterator[str]:
    registered = Operation.objects.filter(
        environment=receipt.environment, key=receipt.operation_key
    ).first()
    if registered is None:
        yield (
            f"No operation in {receipt.environment} has this key. The receipt is kept for ever; "
            "an operation that registers the key meets it at once, and is held until a person has "
            "looked."
        )
    elif registered.receiver == receipt.receiver:
        yield (
            "An operation has this key, and this receipt is kept beside it, tied to none: such as "
            "a row that a statement says once more, which may be a second effect."
        )
    else:
        yield (
            f"An operation has this key, at another receiver, {registered.receiver}: this one’s "
            "word says nothing about it."
        )
    config = receiver_of(receipt)
    contact = config.profile.contact if config else ""
    asked = f"Ask {contact}" if contact else f"Ask {receipt.receiver}"
    yield (
        f"{asked} who ordered it and under which key. If it is one of the operations below, its "
        "page is where the record is entered; if nobody here asked for it and there is an effect, "
        "it is an orphan, and undoing it is between you and the receiver."
    )


_CONFIRMS = {
    Verdict.CONFIRMED: "It confirmed its operation",
    Verdict.ALREADY_CONFIRMED: "It names the effect that confirmed its operation",
}
_MEANINGS = {
    Verdict.MISMATCH: (
        "It differs from what was to be done, so it confirms nothing. If the record is not ours, "
        "say so; if the receiver really did it this way, confirm it as attested, the differences "
        "on record."
    ),
    Verdict.LATE: (
        "It came after the operation was settled. If the effect is real, correct the record or "
        "compensate; if it is not ours, say so."
    ),
    Verdict.NOT_PROOF: (
        "It names the operation and proves nothing: pending, without an effect id, or with fewer "
        "fields than are compared. The receiver’s final word, or a look-up, settles it."
    ),
    Verdict.KEPT: "It is kept as evidence; by itself it settles nothing.",
}
