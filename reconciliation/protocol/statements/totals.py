"""The totals of a pass in words: what rows came to, in a dry run and when they were applied."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import Purpose


class Words(NamedTuple):
    """What an outcome is called, and what it means for what is to be done, or was."""

    name: str
    would: str
    did: str


WORDS: dict[Outcome, Words] = {
    Outcome.CONFIRMS: Words(
        "Exact match", "would confirm its operation", "confirmed its operation"
    ),
    Outcome.CORROBORATES: Words(
        "Corroborates", "would raise the grade of a confirmation", "raised a confirmation's grade"
    ),
    Outcome.REFUSES: Words(
        "Refused by the receiver", "would settle its operation as refused", "settled as refused"
    ),
    Outcome.LEFT: Words(
        "Left", "-", "an exact match that was not applied; it is kept, with the reason"
    ),
    Outcome.MISMATCH: Words(
        "Mismatch", "would be kept, and asks a person", "kept; a person is asked"
    ),
    Outcome.LATE: Words(
        "Another or a late effect", "would be kept, and asks a person", "kept; a person is asked"
    ),
    Outcome.NOT_PROOF: Words("No proof", "would be kept; it is not final", "kept; it is not final"),
    Outcome.KEPT: Words("Evidence", "would be kept", "kept"),
    Outcome.UNMATCHED: Words(
        "No operation", "would be kept as an unmatched receipt", "kept as an unmatched receipt"
    ),
    Outcome.REPEATED: Words(
        "Repeated in the file",
        "would be kept unmatched: possibly a second effect",
        "kept unmatched: possibly a second effect",
    ),
    Outcome.UNREADABLE: Words("Unreadable", "is left out", "left out"),
    Outcome.ALREADY: Words("Confirmed already", "changes nothing", "changed nothing"),
    Outcome.KNOWN: Words("Known already", "changes nothing", "changed nothing"),
}


class Total(NamedTuple):
    """One line of the totals."""

    outcome: Outcome
    name: str
    row_count: int
    means: str


def told(purpose: str, counts: Mapping[str, int]) -> list[Total]:
    """Each outcome that rows came to, in the order of how much it matters."""
    return [
        Total(
            outcome,
            words.name,
            counts[outcome],
            words.did if purpose == Purpose.APPLY else words.would,
        )
        for outcome, words in WORDS.items()
        if counts.get(outcome)
    ]


def totals_table(totals: Sequence[Total], row_count: int) -> list[str]:
    """The totals as lines of text, the sum at the end."""
    width = max([len(total.name) for total in totals] + [4])
    lines = [f"{total.name:<{width}}  {total.row_count:>11,}  {total.means}" for total in totals]
    return [*lines, f"{'Rows':<{width}}  {row_count:>11,}"]
