"""What an operation is linked to, what waits for it, and what only shares its reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from operations.models import Operation
from operations.protocol.states import OPEN_STATES
from operations.queries.dossier import Dossier
from operations.queries.related import Held


@dataclass(frozen=True, slots=True)
class Related:
    """Another operation, and what it has to do with this one."""

    operation: Operation
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relations:
    """Each operation once; those of `waiting` may not be sent before this one is settled."""

    linked: Sequence[Related]
    waiting: Sequence[Related]
    same_reference: Sequence[Related]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is near this operation."""
        return not (self.linked or self.waiting or self.same_reference)


def relations_of(dossier: Dossier) -> Relations:
    """The linked ones and those of the same reference, at most 12 each."""
    this = dossier.operation
    waiting = {
        held.operation.pk: Related(held.operation, why)
        for held in (*dossier.linked, *dossier.of_reference)
        if (why := _waits(held, dossier))
    }
    return Relations(
        linked=[
            Related(held.operation, _link(held.operation, this))
            for held in dossier.linked
            if held.operation.pk not in waiting
        ],
        waiting=list(waiting.values()),
        same_reference=[
            Related(held.operation, _likeness(held.operation, this))
            for held in dossier.of_reference
            if held.operation.pk not in waiting
        ],
    )


def _waits(held: Held, dossier: Dossier) -> str:
    """Why it waits for this one; "" when it does not."""
    row, this = held.operation, dossier.operation
    if row.state not in OPEN_STATES:
        return ""
    if row.supersedes_id == this.pk and held.by_late_receipt:
        return "replaces this one, and is held by its late receipt"
    if row.created_at > this.created_at and held.as_twin and _is_twin(row, this):
        return "held: is it the same order once more?"
    return ""


def _link(row: Operation, this: Operation) -> str:
    if row.supersedes_id == this.pk:
        return "replaces this one"
    if row.compensates_id == this.pk:
        return "makes up for this one"
    if this.supersedes_id == row.pk:
        return "was replaced by this one"
    return "is made up for by this one"


def _likeness(row: Operation, this: Operation) -> str:
    if _is_twin(row, this):
        return "maybe its twin: same reference and payload"
    is_later = row.created_at > this.created_at and row.state in OPEN_STATES
    return "same reference, asked for later, not held" if is_later else "same reference"


def _is_twin(row: Operation, this: Operation) -> bool:
    return (row.kind, row.payload_digest, row.reference) == (
        this.kind,
        this.payload_digest,
        this.reference,
    )
