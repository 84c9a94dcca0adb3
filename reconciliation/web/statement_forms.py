"""Forms of statements: a file that is uploaded, and the answers of two people about it."""

from collections.abc import Mapping
from typing import Any

from django import forms

from operations.registry import configuration
from operations.web.forms.decision import DecisionForm
from operations.web.forms.halt import LiftForm
from reconciliation.queries.statement_profiles import profiles_for

UPLOAD_PLACE = "upload"


class UploadForm(DecisionForm):
    """A receiver's own export, whose it is, and how it is written. Nothing is chosen beforehand."""

    place = forms.ChoiceField(label="Receiver")
    profile = forms.ChoiceField(
        label="Form of the file",
        help_text="Columns and numbers are read as [statements] declares; nothing is guessed.",
    )
    file = forms.FileField(label="File", allow_empty_file=True)

    def __init__(self, data: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(data, version=1, place=UPLOAD_PLACE, **more)
        del self.fields["version"]
        places = sorted(configuration().receivers)
        names = sorted({name for _, receiver in places for name in profiles_for(receiver)})
        self.offer("place", [("", "choose a receiver"), *map(_place, places)])
        self.offer("profile", [("", "choose a form"), *((name, name) for name in names)])

    @property
    def receiver_place(self) -> tuple[str, str]:
        """(environment, receiver) of a valid form."""
        environment, _, receiver = self.cleaned_data["place"].partition("/")
        return environment, receiver


class ProposeForm(LiftForm):
    """Why it is to be applied; bound to the dry run whose totals were read."""

    rehearsal = forms.IntegerField(widget=forms.HiddenInput)


class AnswerForm(LiftForm):
    """A yes or a no, by the button that was pressed."""

    @property
    def is_yes(self) -> bool:
        """Whether the pressed button says yes."""
        return self.data.get("answer") == "yes"

    def clean(self) -> None:
        """One of the two buttons sends it."""
        super().clean()
        if self.data.get("answer") not in ("yes", "no"):
            self.add_error(None, "Press one of the two buttons.")


def _place(place: tuple[str, str]) -> tuple[str, str]:
    environment, receiver = place
    return f"{environment}/{receiver}", f"{receiver} in {environment}"
