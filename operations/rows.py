"""Inserting and locking rows by statements that are made once per table.

What every operation passes through several times is written here without the ORM's compiler,
which takes longer than PostgreSQL does. Triggers and constraints see no difference.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.db import connection, models

type Values = Sequence[Any] | Mapping[str, Any]


def insert[Row: models.Model](row: Row) -> Row:
    """INSERT a new row and set its key. Raises what the database raises."""
    insert_all([row])
    return row


def insert_all[Row: models.Model](rows: Sequence[Row]) -> Sequence[Row]:
    """INSERT new rows of one table in one statement, in their order, and set their keys.

    Raises what the database raises; then none is written.
    """
    if not rows:
        return rows
    statement, fields, gets_key = _insert_statement(type(rows[0]), len(rows))
    values = [
        field.get_db_prep_save(getattr(row, field.attname), connection)
        for row in rows
        for field in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        keys = cursor.fetchall() if gets_key else []
    for row, (key,) in zip(rows, keys, strict=gets_key):
        row.pk = key
    for row in rows:
        row._state.adding = False  # noqa: SLF001  what Model.save does
        row._state.db = connection.alias  # noqa: SLF001
    return rows


def locked[Row: models.Model](model: type[Row], condition: str, values: Values) -> Row | None:
    """The row that meets `condition` (SQL of our own), locked FOR UPDATE; None without one.

    For models whose columns need no conversion. Waits for the lock, then reads the newest row.
    """
    return _one(model, f"WHERE {condition} FOR UPDATE", values)


def locked_if_free[Row: models.Model](
    model: type[Row], condition: str, values: Values
) -> list[Row]:
    """Those that meet `condition` and that nobody has locked, locked FOR UPDATE, by their keys.

    It waits for nobody: whoever locks many rows and waits for one can wait crosswise.
    """
    head, names = _select_statement(model)
    tail = f"WHERE {condition} ORDER BY id FOR UPDATE SKIP LOCKED"
    return _all(model, f"{head} {tail}", names, values)


def changed[Row: models.Model](model: type[Row], update: str, values: Values) -> list[Row]:
    """The rows that an UPDATE of our own changed, as they are after it."""
    columns, names = _columns(model)
    return _all(model, f"{update} RETURNING {columns}", names, values)


def read[Row: models.Model](model: type[Row], condition: str, values: Values) -> Row | None:
    """The row that meets `condition`, as this transaction sees it."""
    return _one(model, f"WHERE {condition}", values)


def _one[Row: models.Model](model: type[Row], tail: str, values: Values) -> Row | None:
    head, names = _select_statement(model)
    with connection.cursor() as cursor:
        cursor.execute(f"{head} {tail}", values)
        found = cursor.fetchone()
    return model.from_db(connection.alias, names, found) if found else None


def _all[Row: models.Model](
    model: type[Row], statement: str, names: list[str], values: Values
) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [model.from_db(connection.alias, names, found) for found in cursor.fetchall()]


@cache
def _insert_statement(
    model: type[models.Model], count: int
) -> "tuple[str, list[models.Field[Any, Any]], bool]":
    meta, quote = model._meta, connection.ops.quote_name  # noqa: SLF001  Django's public name
    gets_key = isinstance(meta.pk, models.AutoField)
    fields = [f for f in meta.concrete_fields if not (gets_key and f.primary_key)]
    columns = ", ".join(quote(str(f.column)) for f in fields)
    places = ", ".join([f"({', '.join('%s' for _ in fields)})"] * count)
    returning = f" RETURNING {quote(str(meta.pk.column))}" if gets_key else ""
    # Only names of our own models stand in it; every value has a place.
    statement = f"INSERT INTO {quote(meta.db_table)} ({columns}) VALUES {places}{returning}"  # noqa: S608
    return statement, fields, gets_key


@cache
def _select_statement(model: type[models.Model]) -> tuple[str, list[str]]:
    columns, names = _columns(model)
    table = connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001
    return f"SELECT {columns} FROM {table}", names  # noqa: S608  our own names


@cache
def _columns(model: type[models.Model]) -> tuple[str, list[str]]:
    """The columns of a model for a statement, and the fields that they are."""
    fields = model._meta.concrete_fields  # noqa: SLF001
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    return columns, [field.attname for field in fields]
