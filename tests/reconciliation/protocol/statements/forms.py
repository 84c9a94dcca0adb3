"""Statement profiles and files for tests."""

from io import BytesIO

from operations.protocol.receipts import Receipt
from reconciliation.protocol.statements.profile import (
    CellType,
    Format,
    NumberStyle,
    PayloadCell,
    StatementProfile,
)
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.protocol.statements.rows import Row

AMOUNT = PayloadCell(column="amount", pointer="/amount", type=CellType.AMOUNT)
DE = NumberStyle(decimal=",", thousands=".")


def a_csv_profile(**given) -> StatementProfile:
    """`reference;amount` as a German bank writes it; every row is booked."""
    values = {
        "name": "de",
        "format": Format.CSV,
        "delimiter": ";",
        "numbers": DE,
        "key": "reference",
        "every_row": "confirmed",
        "payload": (AMOUNT,),
    }
    return StatementProfile(**values | given)


def rows_of(profile: StatementProfile, file: bytes) -> list[Row]:
    return list(read_rows(profile, BytesIO(file)))


def amounts(profile: StatementProfile, file: bytes) -> list[object]:
    """The amount in each row, or the mistake where there is none."""
    return [
        row.value.payload["amount"] if isinstance(row.value, Receipt) else row.value
        for row in rows_of(profile, file)
    ]
