"""The statement profile of docs/receivers.md is a configuration that starts, and reads its file."""

import tomllib
from io import BytesIO
from pathlib import Path

from operations.protocol.states import ReceiptStatus
from opsconsole.config_statements import read_statements
from opsconsole.toml_section import Section
from reconciliation.protocol.statements.profile import StatementProfile
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.protocol.statements.rows import Mistake

ROOT = Path(__file__).resolve().parents[2]
FILE = (
    "Reference;Booking no;State;Booked at;Order;Amount;Currency;Purpose;Balance\r\n"
    "refund-1;B-77;booked;01.03.2026 10:04;A-1;1.050,00;EUR;Müller & Söhne;-3.000,00\r\n"
    "refund-2;;announced;;A-2;50,00;EUR;;x\r\n"
    "refund-3;B-79;cancelled;;A-3;50,00;EUR;;x\r\n"
).encode("cp1252")


def documented() -> StatementProfile:
    text = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8").split("## Statements")[1]
    given = tomllib.loads(text.split("```toml")[1].split("```")[0])
    return read_statements(Section(given, ""), {"sandbox", "manual"})["bank"]


def test_every_key_of_a_profile_is_documented():
    text = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8").split("## Statements")[1]
    shown = text.split("```toml")[1].split("```")[0]
    source = (ROOT / "opsconsole" / "config_statements.py").read_text(encoding="utf-8")
    names = {"format", "delimiter", "encoding", "decimal", "thousands", "key", "effect_id"}
    names |= {"status", "confirmed", "pending", "refused", "time", "time_format", "time_zone"}
    names |= {"ignored", "receivers", "payload", "column", "pointer", "type", "optional"}
    names |= {"every_row"}
    assert {name for name in names if name not in shown} == set()
    assert {name for name in names if f'"{name}"' not in source} == set()


def test_the_documented_profile_reads_a_file_of_its_form():
    first, second, third = read_rows(documented(), BytesIO(FILE))
    assert first.value.operation_key == "refund-1"
    assert first.value.payload == {
        "order": "A-1",
        "amount": "1050.00",
        "currency": "EUR",
        "reason": "Müller & Söhne",
    }
    assert first.value.occurred_at.isoformat() == "2026-03-01T10:04:00+01:00"
    assert (second.value.status, second.value.effect_id) == (ReceiptStatus.PENDING, None)
    assert "reason" not in second.value.payload
    assert isinstance(third.value, Mistake)
    assert third.value.expected == "one of booked, announced, returned"
