"""The receiver's receipt as a person reads it off its record: every field empty until typed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms

from operations.actions.entered_receipt import Entered, leaf_pointers
from operations.protocol.payloads import JSON, parse_json, resolve
from operations.protocol.states import ReceiptStatus
from operations.web.forms.decision import ReasonForm, code_text

# More fields than this are entered as one JSON text.
MOST_FIELDS = 24
LONGEST_VALUE = 100_000
STATUS_WORDS = {
    ReceiptStatus.CONFIRMED: "confirmed: it happened",
    ReceiptStatus.PENDING: "pending: not decided there",
    ReceiptStatus.REFUSED: "refused: it did not happen",
}


class AttestationForm(ReasonForm):
    """One field for each value of the payload that a receipt must carry; none is filled in."""

    operation_key = code_text(label="Key on the record", max_length=200)
    effect_id = code_text(
        label="The receiver’s number of the effect", max_length=255, help_text="Its effect id."
    )
    status = forms.ChoiceField(
        label="What the record says",
        choices=[("", "choose what it says"), *((str(k), v) for k, v in STATUS_WORDS.items())],
    )
    occurred_at = code_text(
        label="When it happened, by the record",
        required=False,
        max_length=64,
        help_text="With its offset, such as 2026-03-01T10:04:11+01:00.",
    )
    evidence = forms.CharField(
        label="Where you read it",
        max_length=4000,
        help_text="A link, a document’s number, or who said so on the telephone and when.",
    )
    insists = forms.BooleanField(
        label="The record really says so: open a review about the difference",
        required=False,
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        payload_text: str,
        significant_fields: tuple[str, ...] | None,
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        payload = parse_json(payload_text)
        self.pointers = leaf_pointers(payload, fields=significant_fields)
        if len(self.pointers) > MOST_FIELDS:
            self.pointers = []
        for number, pointer in enumerate(self.pointers):
            self.fields[f"value_{number}"] = _value_field(pointer, resolve(payload, pointer))
        if not self.pointers or any(_is_hard_to_type(resolve(payload, p)) for p in self.pointers):
            self.fields["payload_text"] = code_text(
                label="The record’s payload as JSON",
                required=not self.pointers,
                rows=5,
                max_length=LONGEST_VALUE * 10,
                help_text="Instead of the fields above." if self.pointers else "",
            )
        self.order_fields(self._order())

    def offer_to_insist(self, *, is_offered: bool) -> None:
        """Only somebody who was told of a difference can say that the record really has it."""
        if not is_offered:
            del self.fields["insists"]

    def entered(self) -> Entered:
        """What was typed. A value that was left empty is one that the record does not show."""
        said = self.cleaned_data
        named = ((pointer, said[f"value_{n}"]) for n, pointer in enumerate(self.pointers))
        return Entered(
            operation_key=said["operation_key"],
            effect_id=said["effect_id"],
            status=said["status"],
            evidence=said["evidence"],
            occurred_at=said["occurred_at"],
            payload_text=said.get("payload_text", ""),
            fields={pointer: text.replace("\r\n", "\n") for pointer, text in named if text},
        )

    def field_of(self, named: str) -> str:
        """The field for a pointer of the payload, or for the receipt's own member."""
        if named in self.pointers:
            return f"value_{self.pointers.index(named)}"
        return {"operation_id": "operation_key"}.get(named, named)

    def _order(self) -> Sequence[str]:
        values = [name for name in self.fields if name.startswith("value_")]
        return [
            "operation_key",
            "effect_id",
            "status",
            *values,
            "payload_text",
            "occurred_at",
            "evidence",
            "reason",
            "insists",
        ]


def _value_field(pointer: str, expected: JSON) -> forms.CharField:
    """An empty field for one value; a long text gets lines. Its own value is not shown."""
    is_long = isinstance(expected, str) and ("\n" in expected or len(expected) > 80)
    field = code_text(
        label=" › ".join(["Payload", *_names(pointer)]),
        required=False,
        max_length=LONGEST_VALUE,
        rows=4 if is_long else None,
        strip=not isinstance(expected, str) or expected == expected.strip(),
    )
    field.optional_word = "empty if the record does not show it"  # type: ignore[attr-defined]
    return field


def _names(pointer: str) -> Iterator[str]:
    for name in pointer.split("/")[1:]:
        yield name.replace("~1", "/").replace("~0", "~")


def _is_hard_to_type(expected: JSON) -> bool:
    """What no line of a form can hold as it is: empty text or containers, carriage returns."""
    return expected in ("", [], {}) or (isinstance(expected, str) and "\r" in expected)
