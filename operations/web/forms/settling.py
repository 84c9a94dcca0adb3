"""Forms that settle an outcome, explain evidence, or answer a proposal."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from operations.actions.set_aside_evidence import FINDINGS
from operations.protocol.exits import Exit
from operations.protocol.states import Finding
from operations.web.forms.decision import ReasonForm

FINDING_WORDS = {
    Finding.NOT_OURS: "Not ours",
    Finding.CONFIRMED_ATTESTED: "Ours all the same",
    Finding.CORRECTED: "It happened after all",
    Finding.STANDS: "It stands",
    Finding.REVERSED: "The receiver reversed it",
    Finding.COMPENSATE: "Made up for by another operation",
    Finding.RESUMED: "Go on",
}


class FindingForm(ReasonForm):
    """Nothing happened at the receiver; without a lookup somebody there has to be named."""

    named_answer = forms.CharField(
        label="Who at the receiver said so, and when",
        max_length=4000,
        help_text="A name and an answer, such as “Ms Okafor, order desk, 14:05: no such order”.",
    )
    field_order = ("named_answer", "reason")

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, has_lookup: bool, **more: Any
    ) -> None:
        super().__init__(data, **more)
        self.fields["named_answer"].required = not has_lookup


class ReviewForm(ReasonForm):
    """One of the review's exits; the receipt is asked for where a confirmation could rest on it."""

    finding = forms.ChoiceField(label="What you found", widget=forms.RadioSelect)
    receipt_id = forms.TypedChoiceField(
        label="The receipt that shows it", required=False, coerce=int, empty_value=None
    )
    field_order = ("finding", "receipt_id", "reason")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        ways: Sequence[Exit],
        receipts: Sequence[tuple[int, str]],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.offer(
            "finding",
            [(str(way.finding), f"{FINDING_WORDS[way.finding]}. {way.sentence}") for way in ways],
        )
        if receipts:
            self.offer("receipt_id", [("", "the receipt that opened the review"), *receipts])
        else:
            del self.fields["receipt_id"]


class EvidenceForm(ReasonForm):
    """One piece of unexplained evidence, and what it is."""

    evidence = forms.ChoiceField(label="Which evidence", widget=forms.RadioSelect)
    finding = forms.ChoiceField(
        label="What you found",
        widget=forms.RadioSelect,
        choices=[
            (str(FINDINGS[0]), "Not ours. It shows another’s effect."),
            (str(FINDINGS[1]), "It changes nothing. It is ours, and the record stands as it is."),
        ],
    )
    field_order = ("evidence", "finding", "reason")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        evidence: Sequence[tuple[str, str]],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.offer("evidence", evidence)

    def ids(self) -> dict[str, int | None]:
        """The id of the receipt or of the report that was chosen."""
        sort, _, pk = self.cleaned_data["evidence"].partition("-")
        return {"receipt_id": None, "attempt_end_id": None} | {f"{sort}_id": int(pk)}


class SenderGoneForm(ReasonForm):
    """Which attempt's process is gone."""

    generation = forms.TypedChoiceField(label="Attempt", coerce=int, empty_value=None)
    field_order = ("generation", "reason")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        generations: Sequence[tuple[str, str]],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.offer("generation", [("", "choose the attempt"), *generations])
        self.fields["reason"].label = "How you know that the process is gone"


class AnswerForm(ReasonForm):
    """A second person's answer to a proposal; the button pressed is the answer."""

    answer = forms.ChoiceField(choices=[("yes", "yes"), ("no", "no")], widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.fields["reason"].label = "What you checked"

    @property
    def is_yes(self) -> bool:
        """Whether the button was the yes."""
        return bool(self.cleaned_data["answer"] == "yes")

    def hidden_fields(self) -> list[forms.BoundField]:
        """All but the answer, which the buttons carry."""
        return [field for field in super().hidden_fields() if field.name != "answer"]
