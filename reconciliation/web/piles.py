"""The piles of receipts: what each one holds, and what to do about it, where."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse
from django.utils.http import urlencode

from operations.protocol.states import Queue, State
from operations.web.environment import PARAMETER
from reconciliation.queries.receipts import Pile

WORDS = {
    Pile.ALL: "All",
    Pile.UNEXPLAINED: "To explain",
    Pile.UNMATCHED: "No operation",
    Pile.MISMATCH: "Mismatch",
    Pile.LATE: "Late",
    Pile.DUPLICATE: "Duplicates",
    Pile.NOT_PROOF: "No proof",
    Pile.KEPT: "Kept",
    Pile.CONFIRMED: "Confirming",
}


class Place(StrEnum):
    """Where what is to be done about a pile is done."""

    UNRESOLVED = "unresolved"
    UNKNOWN = "unknown"
    RECEIVERS = "receivers"
    STATEMENTS = "statements"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What a pile is and what to do about it, where; `nothing` says what an empty one means."""

    title: str
    what: str
    todo: str
    place: Place
    empty_title: str
    nothing: str


GUIDES: Mapping[Pile, Guide] = {
    Pile.ALL: Guide(
        title="Everything that was said",
        what="Each receipt is kept as it came, whatever it was found to be worth.",
        todo="Begin with those to explain; a statement brings what no lookup and no webhook told.",
        place=Place.STATEMENTS,
        empty_title="No receipt yet",
        nothing=(
            "Receipts arrive by response, lookup, webhook or statement, or are entered by a person."
        ),
    ),
    Pile.UNEXPLAINED: Guide(
        title="It speaks of an effect, and nobody has said yet whose",
        what=(
            "While one is unexplained, its operation can be neither released nor recorded as "
            "not executed."
        ),
        todo="Open the operation and settle its review, or set the evidence aside with a reason.",
        place=Place.UNRESOLVED,
        empty_title="Nothing to explain",
        nothing=(
            "All that spoke of an effect has confirmed its operation, or people have said what "
            "it is."
        ),
    ),
    Pile.UNMATCHED: Guide(
        title="The receiver’s word under a key that no operation of it has here",
        what=(
            "It may be an orphan, somebody else’s order, ours under a misspelled key, or a row "
            "that a statement repeats; an operation that registers its key meets it at once."
        ),
        todo=(
            "Open it, compare it with the operations whose key or payload is near, and ask the "
            "receiver’s contact what its record says."
        ),
        place=Place.RECEIVERS,
        empty_title="No orphan",
        nothing="Every receipt that came belongs to an operation.",
    ),
    Pile.MISMATCH: Guide(
        title="It names the key and differs from what was to be done",
        what="It confirms nothing; the fields that differ are shown side by side.",
        todo=(
            "Settle the operation’s review: not ours, or confirmed as attested with the "
            "differences on record."
        ),
        place=Place.UNRESOLVED,
        empty_title="No mismatch",
        nothing="Every receipt with a payload carried the one that was to be done.",
    ),
    Pile.LATE: Guide(
        title="It came after the operation was settled without it",
        what=(
            "An operation that was refused, not executed or cancelled may have had its effect "
            "after all; those that replace it are held."
        ),
        todo="Settle the operation’s review: corrected to confirmed, or not ours.",
        place=Place.UNRESOLVED,
        empty_title="Nothing came late",
        nothing="No receipt spoke of an effect after its operation was settled.",
    ),
    Pile.DUPLICATE: Guide(
        title="Two effects for one operation, or one effect that two operations name",
        what=(
            "Each row is the effect beyond the first. Something was done twice, or is told of "
            "twice."
        ),
        todo=(
            "Compare the attempts side by side from its row, then settle the operation’s "
            "review: compensate, or not ours."
        ),
        place=Place.UNRESOLVED,
        empty_title="No duplicate",
        nothing="No operation has two effects, and no effect is named for two operations.",
    ),
    Pile.NOT_PROOF: Guide(
        title="It names the operation and proves nothing",
        what="Pending, without an effect id, or with fewer fields than are compared.",
        todo="Wait for the receiver’s final word or look it up; without a lookup, ask its contact.",
        place=Place.UNKNOWN,
        empty_title="Nothing without proof",
        nothing="Every receipt said yes or no, and carried what a proof takes.",
    ),
    Pile.KEPT: Guide(
        title="Kept: it settles nothing by itself, but for a refusal",
        what=(
            "Refusals, which settle at most the only attempt there is, reports under an "
            "older claim, rows of statements that were left, and what waits for its key."
        ),
        todo="What is marked unexplained stands under “To explain” too, with what to do.",
        place=Place.UNRESOLVED,
        empty_title="Nothing was only kept",
        nothing="Every receipt had its consequence.",
    ),
    Pile.CONFIRMED: Guide(
        title="It confirms its operation",
        what="It names the key and carries the payload, or names the effect that is on record.",
        todo="Nothing, unless a question about the operation is open: see its page.",
        place=Place.NOWHERE,
        empty_title="Nothing is confirmed yet",
        nothing="A receipt that names the key, carries the payload and has an effect id confirms.",
    ),
}


def place_of(guide: Guide, environment: str) -> tuple[str, str]:
    """The address of its place, in this environment, and what the link says; ("", "") for none."""
    name, query, words = _PLACES[guide.place]
    if not name:
        return "", ""
    given = {**query, **({PARAMETER: environment} if environment else {})}
    url = reverse(name)
    return (f"{url}?{urlencode(given)}" if given else url), words


_PLACES: Mapping[Place, tuple[str, Mapping[str, str], str]] = {
    Place.UNRESOLVED: (
        "operations:list",
        {"queue": str(Queue.UNRESOLVED)},
        "Operations with an open review",
    ),
    Place.UNKNOWN: (
        "operations:list",
        {"state": str(State.SENT_UNKNOWN)},
        "Operations of unknown outcome",
    ),
    Place.RECEIVERS: ("reconciliation:receivers", {}, "Receivers, with whom to ask"),
    Place.STATEMENTS: ("reconciliation:statements", {}, "Statements"),
    Place.NOWHERE: ("", {}, ""),
}
