"""What every decision's form carries: the version seen, and a token that makes it one decision."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from operations.actions.reasons import LONGEST

TOKEN_BYTES = 18


class DecisionForm(forms.Form):
    """A form of the operation page. `place` tells apart the ids of several forms on one page."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    decision_id = forms.CharField(max_length=64, widget=forms.HiddenInput)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, version: int, place: str, **more: Any
    ) -> None:
        super().__init__(
            data,
            initial={"version": version, "decision_id": new_token(), **more.pop("initial", {})},
            auto_id=f"{place}-%s",
            **more,
        )

    def renew(self, *, version: int) -> None:
        """Keep what was typed under a new token and the present version: a new decision."""
        if self.is_bound:
            kept = dict(self.data.items())
            self.data = {**kept, "version": str(version), "decision_id": new_token()}

    def offer(self, name: str, choices: Sequence[tuple[Any, str]]) -> None:
        """Set what a field of choices offers."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def field_of(self, named: str) -> str:
        """The name of the field that a refusal's `field` means."""
        return named


class ReasonForm(DecisionForm):
    """A decision with its reason, which is required and goes into the audit trail."""

    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Kept in the audit trail under your name.",
    )


def new_token() -> str:
    """A token for one showing of a form."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def code_text(**options: Any) -> forms.CharField:
    """A line that is read letter by letter: no spelling help, no suggestions of the browser."""
    plain = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
    rows = options.pop("rows", None)
    widget: forms.Widget = forms.TextInput(attrs=plain)
    if rows:
        widget = forms.Textarea(attrs={**plain, "rows": rows})
    field = forms.CharField(widget=widget, **options)
    field.is_code = True  # type: ignore[attr-defined]  # components/field.html asks for it
    return field
