"""Column kinds and triggers that several tables share."""

from enum import StrEnum

import pgtrigger
from django.db import models
from django.db.models import Q


def word(enum: type[StrEnum], *, blank: bool = False, default: str | None = None) -> models.TextField:
    """A text column that holds one word of `enum` (or nothing, when `blank`)."""
    options: dict[str, object] = {} if default is None else {"default": default}
    return models.TextField(choices=[(w.value, w.value) for w in enum], blank=blank, **options)


def knows_word(field: str, enum: type[StrEnum], *, blank: bool = False) -> models.CheckConstraint:
    """The database refuses a word that `enum` does not have."""
    words = [w.value for w in enum] + ([""] if blank else [])
    return models.CheckConstraint(
        name=f"%(class)s_{field}_is_known", condition=Q(**{f"{field}__in": words})
    )


def append_only() -> pgtrigger.Protect:
    """Evidence is written once: the database refuses UPDATE and DELETE, whoever asks."""
    return pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)


def keep_rows() -> pgtrigger.Protect:
    """A row that records a person's or a worker's act is never deleted."""
    return pgtrigger.Protect(name="keep_rows", operation=pgtrigger.Delete)
