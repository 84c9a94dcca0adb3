"""What a statement profile declares: how a file is written, and what each column means."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from operations.protocol.states import ReceiptStatus

# Encodings in which a line feed, a quote and a delimiter are the bytes of ASCII, and no other
# character contains them: rows can be told apart before they are decoded.
ENCODINGS = (
    "ascii",
    "utf-8",
    "cp1250",
    "cp1251",
    "cp1252",
    "cp850",
    "iso8859-1",
    "iso8859-2",
    "iso8859-15",
)


class Format(StrEnum):
    """How the rows stand in the file."""

    CSV = "csv"
    JSONL = "jsonl"


class CellType(StrEnum):
    """What a cell holds. An amount becomes a decimal string, exact, as payloads carry it."""

    TEXT = "text"
    NUMBER = "number"
    AMOUNT = "amount"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberStyle:
    """How numbers are written: the decimal mark, and what separates thousands ("" for nothing)."""

    decimal: str
    thousands: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadCell:
    """One value of the payload. `pointer` names members only; an empty optional cell is missing."""

    column: str
    pointer: str
    type: CellType = CellType.TEXT
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeForm:
    """How instants are written: ISO 8601 with a zone, or a `strptime` pattern in a named zone."""

    pattern: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementProfile:
    """One form of file. Columns are header names in csv, and JSON pointers in jsonl.

    Without a `key` each line of a jsonl file is a receipt as it stands. `every_row` is the status
    of all rows where there is no status column. `receivers` are those whose files have this form;
    empty for any.
    """

    name: str
    format: Format
    delimiter: str = ","
    encoding: str = "utf-8"
    numbers: NumberStyle | None = None
    key: str = ""
    effect_id: str = ""
    status: str = ""
    status_words: tuple[tuple[str, ReceiptStatus], ...] = ()
    every_row: ReceiptStatus | None = None
    time: str = ""
    time_form: TimeForm = TimeForm()
    payload: tuple[PayloadCell, ...] = ()
    ignored: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()

    @property
    def holds_receipts(self) -> bool:
        """Whether each line is a receipt already."""
        return not self.key

    @property
    def read_columns(self) -> tuple[str, ...]:
        """Every column that a row is read from, each once."""
        named = (self.key, self.effect_id, self.status, self.time)
        return tuple(dict.fromkeys(n for n in (*named, *(c.column for c in self.payload)) if n))


# A receipt a line: what the sandbox exports, and anybody who speaks our own format.
SANDBOX = StatementProfile(name="sandbox", format=Format.JSONL)
BUILT_IN = {SANDBOX.name: SANDBOX}


def form_digest(profile: StatementProfile) -> str:
    """Hex SHA-256 of all that a profile declares: rows are read alike while it is the same."""
    return sha256(repr(profile).encode()).hexdigest()
