"""A new operation in place of this one, or one that makes up for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from operations.actions.follow_up import FollowUp
from operations.web.forms.decision import ReasonForm, code_text


class FollowUpForm(ReasonForm):
    """The new operation, under a key of its own; what is left empty is as in this one."""

    key = code_text(
        label="Key of the new operation",
        max_length=200,
        help_text="1 to 200 printable ASCII characters; it names that effect for ever.",
    )
    kind = forms.ChoiceField(label="Kind", required=False)
    receiver = forms.ChoiceField(label="Receiver", required=False)
    payload_text = code_text(label="Payload, as JSON", required=False, rows=5)
    goal = forms.CharField(label="What it is for", required=False, max_length=1000)
    field_order: Sequence[str] = ("key", "kind", "receiver", "payload_text", "goal", "reason")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        kinds: Sequence[str],
        receivers: Sequence[str],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        for name, words in (("kind", kinds), ("receiver", receivers)):
            same = ("", "as in this operation")
            self.offer(name, [same, *((word, word) for word in words)])

    def wanted(self) -> FollowUp:
        """The new operation as it is asked for."""
        names = ("key", "kind", "receiver", "payload_text", "goal")
        return FollowUp(**{name: self.cleaned_data[name] for name in names})


class CompensationForm(FollowUpForm):
    """Making up for an effect, which may answer an open review too. Its payload is its own."""

    review_id = forms.TypedChoiceField(
        label="It answers the review", required=False, coerce=int, empty_value=None
    )
    field_order = (*FollowUpForm.field_order[:-1], "review_id", "reason")

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        reviews: Sequence[tuple[int, str]],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        # The same payload once more would be the same effect again, and make up for nothing.
        self.fields["payload_text"].required = True
        if reviews:
            self.offer("review_id", [("", "none"), *reviews])
        else:
            del self.fields["review_id"]
