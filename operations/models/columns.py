"""Column kinds and triggers that several tables share."""

from enum import StrEnum
from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.fields import NOT_PROVIDED


def word(
    enum: type[StrEnum], *, blank: bool = False, default: Any = NOT_PROVIDED
) -> "models.TextField[str, str]":
    """A text column that holds one word of `enum` (or nothing, when `blank`)."""
    choices = [(each.value, each.value) for each in enum]
    return models.TextField(choices=choices, blank=blank, default=default)


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
