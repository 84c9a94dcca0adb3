"""Inserting and locking rows by statements that are made once per table.

What every operation passes through several times is written here without the ORM's compiler,
which takes longer than PostgreSQL does. Triggers and constraints see no difference.
"""

from functools import cache
from typing import Any

from django.db import connection, models


def insert[Row: models.Model](row: Row) -> Row:
    """INSERT a new row and set its key. Raises what the database raises."""
    statement, fields, gets_key = _insert_statement(type(row))
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        if gets_key:
            found = cursor.fetchone()
            assert found is not None
            row.pk = found[0]
    row._state.adding = False  # noqa: SLF001  what Model.save does
    row._state.db = connection.alias  # noqa: SLF001
    return row


def locked[Row: models.Model](model: type[Row], condition: str, values: list[Any]) -> Row | None:
    """The row that meets `condition` (SQL of our own), locked FOR UPDATE; None without one.

    For models whose columns need no conversion. Waits for the lock, then reads the newest row.
    """
    return _one(model, f"WHERE {condition} FOR UPDATE", values)


def read[Row: models.Model](model: type[Row], condition: str, values: list[Any]) -> Row | None:
    """The row that meets `condition`, as this transaction sees it."""
    return _one(model, f"WHERE {condition}", values)


def _one[Row: models.Model](model: type[Row], tail: str, values: list[Any]) -> Row | None:
    head, names = _select_statement(model)
    with connection.cursor() as cursor:
        cursor.execute(f"{head} {tail}", values)
        found = cursor.fetchone()
    return model.from_db(connection.alias, names, found) if found else None


@cache
def _insert_statement(
    model: type[models.Model],
) -> "tuple[str, list[models.Field[Any, Any]], bool]":
    meta, quote = model._meta, connection.ops.quote_name  # noqa: SLF001  Django's public name
    gets_key = isinstance(meta.pk, models.AutoField)
    fields = [f for f in meta.concrete_fields if not (gets_key and f.primary_key)]
    columns = ", ".join(quote(str(f.column)) for f in fields)
    places = ", ".join("%s" for _ in fields)
    returning = f" RETURNING {quote(str(meta.pk.column))}" if gets_key else ""
    # Only names of our own models stand in it; every value has a place.
    statement = f"INSERT INTO {quote(meta.db_table)} ({columns}) VALUES ({places}){returning}"  # noqa: S608
    return statement, fields, gets_key


@cache
def _select_statement(model: type[models.Model]) -> tuple[str, list[str]]:
    meta, quote = model._meta, connection.ops.quote_name  # noqa: SLF001
    columns = ", ".join(quote(str(f.column)) for f in meta.concrete_fields)
    names = [f.attname for f in meta.concrete_fields]
    return f"SELECT {columns} FROM {quote(meta.db_table)}", names  # noqa: S608  our own names
