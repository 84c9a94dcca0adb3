"""Forms around a case: taking it, and notes."""

from typing import Any

from django import forms

from operations.actions.reasons import LONGEST
from operations.actions.take_case import LEASE_SECONDS
from operations.web.forms.decision import DecisionForm

LEASES = ((LEASE_SECONDS, "15 minutes"), (3600, "1 hour"), (4 * 3600, "4 hours"))


class TakeForm(DecisionForm):
    """For how long the others see you on the case."""

    lease_seconds = forms.TypedChoiceField(label="For", coerce=int, choices=LEASES)


class NoteForm(DecisionForm):
    """A note; it changes nothing else."""

    text = forms.CharField(
        label="A note for the next person",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2, "data-key": "n"}),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        del self.fields["version"]  # it is true whatever changed meanwhile
