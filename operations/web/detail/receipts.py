"""Each receipt against the payload: five checks, then field by field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from operations.actions.entered_receipt import leaf_pointers
from operations.models import Explanation, Operation, Receipt
from operations.protocol.payloads import JSON, MISSING, dumps, parse_json, resolve
from operations.protocol.states import Finding, Grade, ReceiptStatus, Verdict
from operations.protocol.words import shortened
from operations.queries.dossier import Dossier
from operations.registry import receiver_of
from operations.web.voices import voice_of

_CONFIRMING = (Finding.CONFIRMED_ATTESTED, Finding.CORRECTED)
EQUAL, DIFFERS, ABSENT, LEFT_OUT = "equal", "differs", "missing", "not_compared"
# A payload may have thousands of fields; what differs is always among the shown ones.
SHOWN_ROWS = 60
SHOWN_TEXT = 300


@dataclass(frozen=True, slots=True)
class Check:
    """One of the conditions of rule 4; `verdict` is equal, differs or missing."""

    name: str
    word: str
    verdict: str


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field: what was to be done beside what the receiver says."""

    pointer: str
    expected: str
    got: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCard:
    """One receipt; `voice` is the grade that its channel can give, `left_out` counts rows.

    `verdict` is the one it came with, unless people found since that it confirms.
    """

    receipt: Receipt
    verdict: Verdict
    voice: Grade
    checks: Sequence[Check]
    rows: Sequence[FieldRow]
    left_out: int
    source: str
    url: str
    finding: str


def receipt_cards(dossier: Dossier) -> list[ReceiptCard]:
    """The receipts that are shown, the newest first."""
    expected = parse_json(dossier.operation.payload_text)
    return [receipt_card(row, dossier.operation, expected) for row in dossier.receipts]


def record_url(operation: Operation, effect_id: str = "") -> str:
    """The receiver's own record of this operation, by the profile's template; "" without one."""
    config = receiver_of(operation)
    if config is None or not config.profile.link_template:
        return ""
    url = config.profile.link_template.format(
        base_url=config.base_url,
        key=quote(operation.key, safe=""),
        effect_id=quote(effect_id or operation.effect_id, safe=""),
    )
    return url if url.startswith(("http://", "https://")) else ""


def payload_of(receipt: Receipt) -> JSON:
    """The payload that a receipt carries. It was read once already, so no limit is met here."""
    text = receipt.payload_text
    if not text:
        return MISSING
    return parse_json(text, max_bytes=len(text) * 4, max_depth=100, keeps_any_text=True)


def receipt_card(receipt: Receipt, operation: Operation, expected: JSON) -> ReceiptCard:
    """One receipt beside its operation, whose payload is `expected`."""
    rows = list(_rows(receipt, expected))
    rows.sort(key=lambda row: row.verdict == EQUAL)  # stable: what differs comes first
    explanation = getattr(receipt, "explanation", None)
    return ReceiptCard(
        receipt=receipt,
        verdict=_verdict(receipt, explanation, operation),
        voice=voice_of(receipt),
        checks=_checks(receipt, operation),
        rows=rows[:SHOWN_ROWS],
        left_out=max(0, len(rows) - SHOWN_ROWS),
        source=source_of(receipt),
        url=record_url(operation, receipt.effect_id),
        finding=f"{explanation.finding.replace('_', ' ')}: {explanation.reason}"
        if explanation
        else "",
    )


def _verdict(receipt: Receipt, explanation: Explanation | None, operation: Operation) -> Verdict:
    confirms = explanation is not None and explanation.finding in _CONFIRMING
    if confirms and receipt.effect_id == operation.effect_id:
        return Verdict.CONFIRMED
    return Verdict(receipt.verdict)


def _checks(receipt: Receipt, operation: Operation) -> list[Check]:
    differing = {row["pointer"] for row in receipt.differences}
    in_payload = [row for row in receipt.differences if row["pointer"][:1] in ("", "/")]
    return [
        _compared("Key", receipt.operation_key, operation.key),
        Check("Environment", *_environment(receipt, differing)),
        Check("Payload", *_payload(receipt, in_payload)),
        _compared("Status", receipt.status, ReceiptStatus.CONFIRMED),
        Check("Effect id", *_effect(receipt, differing)),
    ]


def _compared(name: str, got: str, expected: str) -> Check:
    return Check(name, shortened(got, limit=60), EQUAL if got == expected else DIFFERS)


def _environment(receipt: Receipt, differing: set[str]) -> tuple[str, str]:
    if "environment" in differing:
        return "names another one", DIFFERS
    return f"through {receipt.environment}’s channel", EQUAL


def _payload(receipt: Receipt, differences: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    if not receipt.payload_text:
        return "it carries none", ABSENT
    if differences:
        count = len(differences)
        return f"{count} field{'s' if count > 1 else ''} differ{'' if count > 1 else 's'}", DIFFERS
    left_out = len(receipt.not_compared)
    return (f"equal, {left_out} not compared" if left_out else "equal in every field"), EQUAL


def _effect(receipt: Receipt, differing: set[str]) -> tuple[str, str]:
    if not receipt.effect_id:
        return "none named", ABSENT
    if "effect_id" in differing:
        return "confirmed another operation", DIFFERS
    return shortened(receipt.effect_id, limit=40), EQUAL


def _rows(receipt: Receipt, expected: JSON) -> Iterator[FieldRow]:
    """The receipt's own differences, then each value of the payload that none of them covers."""
    got = payload_of(receipt)
    found = {row["pointer"]: row for row in receipt.differences}
    for pointer, row in found.items():
        yield FieldRow(pointer, row["expected"], row["got"], DIFFERS, row["reason"])
    if got is MISSING:
        return
    left_out = tuple(receipt.not_compared)
    for pointer in leaf_pointers(expected):
        if not _is_covered(pointer, found):
            verdict = LEFT_OUT if _is_covered(pointer, left_out) else EQUAL
            wanted, said = resolve(expected, pointer), resolve(got, pointer)
            yield FieldRow(pointer, _shown(wanted), _shown(said), verdict)


def _is_covered(pointer: str, by: Mapping[str, Any] | Sequence[str]) -> bool:
    """Whether the pointer, or one above it, is among `by`."""
    while True:
        if pointer in by:
            return True
        if not pointer:
            return False
        pointer = pointer.rpartition("/")[0]


def _shown(value: JSON) -> str:
    return "missing" if value is MISSING else shortened(dumps(value), limit=SHOWN_TEXT)


def source_of(receipt: Receipt) -> str:
    """Who entered or reported it, and under which token; "" for the receiver itself."""
    if receipt.entered_by:
        return f"entered by {receipt.entered_by.username}"
    under = f" under token {receipt.token}" if receipt.token else ""
    if receipt.reported_by_agent:
        return f"reported by {receipt.reported_by_agent.name}{under}"
    return ""
