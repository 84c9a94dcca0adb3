"""A person's answer to a request for approval."""

from collections.abc import Mapping
from typing import Any

from django import forms

from operations.web.forms.settling import AnswerForm


class ApprovalForm(AnswerForm):
    """Bound to the bytes that the person was shown; the button pressed is the answer."""

    digest_seen = forms.CharField(max_length=64, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any] | None = None, *, digest: str, **more: Any) -> None:
        super().__init__(data, initial={"digest_seen": digest}, **more)
        self.fields["reason"].label = "Why you decide so"
