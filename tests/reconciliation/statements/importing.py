"""A statement on its way: files, staging, the dry run, and the people who apply one."""

from dataclasses import replace
from io import BytesIO
from typing import Any

from pytest_django.fixtures import Settings

from operations.actors import Actor
from operations.models import Operation
from operations.protocol.payloads import dumps
from operations.protocol.states import ReceiptStatus
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.propose_statement import propose_statement
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.run_statement import run_statement
from reconciliation.actions.second_statement import second_statement
from reconciliation.actions.stage_statement import StatementFile, stage_statement
from reconciliation.models import AppliedRow, Statement, StatementRow, StatementRun
from reconciliation.protocol.statements.profile import (
    BUILT_IN,
    CellType,
    Format,
    NumberStyle,
    PayloadCell,
    StatementProfile,
)
from reconciliation.queries.statement_profiles import statement_profile
from tests.build import a_receipt
from tests.people import an_approver, an_operator

MACHINE = Actor.system("import_receipts")
ORDERS = StatementProfile(
    name="orders",
    format=Format.CSV,
    delimiter=";",
    numbers=NumberStyle(decimal=",", thousands="."),
    key="reference",
    effect_id="booking",
    status="state",
    status_words=(
        ("booked", ReceiptStatus.CONFIRMED),
        ("open", ReceiptStatus.PENDING),
        ("declined", ReceiptStatus.REFUSED),
    ),
    payload=(
        PayloadCell(column="article", pointer="/sku"),
        PayloadCell(column="pieces", pointer="/quantity", type=CellType.NUMBER),
    ),
)
HEADER = "reference;booking;state;article;pieces\n"


def declare(settings: Settings, *profiles: StatementProfile) -> None:
    """Let these forms of files be in opsconsole.toml."""
    known = BUILT_IN | {profile.name: profile for profile in profiles}
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, statements=known)


def lines_of(*values: dict[str, Any]) -> bytes:
    """A file of receipts, one a line."""
    return b"".join(dumps(value).encode() + b"\n" for value in values)


def staged(
    file: bytes,
    *,
    profile: str = "sandbox",
    actor: Actor = MACHINE,
    receiver: str = "sandbox",
    name: str = "may.jsonl",
) -> Statement:
    """The file, taken in: by the command, or by a person where `actor` is one."""
    given = StatementFile(
        environment="production",
        receiver=receiver,
        profile=profile,
        name=name,
        stream=BytesIO(file),
    )
    started_by = "" if actor.person_id else "cron"
    return stage_statement(actor=actor, file=given, started_by=started_by).statement


def finished(run: StatementRun, *, for_seconds: float = 60) -> StatementRun:
    """The run after workers went on with it until nothing was left to do."""
    while run_statement(run_id=run.pk, holder="worker/1", for_seconds=for_seconds):
        pass
    return StatementRun.objects.select_related("statement", "rehearsal").get(pk=run.pk)


def rehearsed(statement: Statement) -> StatementRun:
    """Its dry run, over."""
    profile = statement_profile(statement.profile, statement.receiver)
    return finished(rehearse_statement(statement=statement, profile=profile))


def applied(rehearsal: StatementRun) -> StatementRun:
    """What a machine brought, carried out."""
    statement = rehearsal.statement
    profile = statement_profile(statement.profile, statement.receiver)
    return finished(apply_statement(rehearsal=rehearsal, profile=profile, actor=MACHINE))


def proposed(rehearsal: StatementRun, *, by: Actor | None = None):
    """A person proposes to apply what was uploaded."""
    return propose_statement(
        statement_id=rehearsal.statement_id,
        rehearsal_id=rehearsal.pk,
        actor=by or an_operator(),
        reason="month's end",
    )


def seconded(rehearsal: StatementRun, *, by: Actor | None = None) -> StatementRun:
    """What a person uploaded, proposed by one and agreed to by another, carried out."""
    proposal = second_statement(
        proposal_id=proposed(rehearsal).pk,
        actor=by or an_approver(),
        is_yes=True,
        reason="compared with the paper",
    )
    return finished(proposal.run)


def outcomes(run: StatementRun) -> list[str]:
    """What each row came to, in the order of the file."""
    rows = StatementRow.objects.filter(run=run).order_by("number")
    return list(rows.values_list("outcome", flat=True))


def written(run: StatementRun) -> dict[int, str]:
    """What was written for which row of an application."""
    return dict(AppliedRow.objects.filter(run=run).values_list("number", "outcome"))


def booked(operation: Operation, **given: Any) -> dict[str, Any]:
    """The receiver's record of this operation."""
    return a_receipt(operation, **given)


def fresh(operation: Operation) -> Operation:
    """As it is on record now."""
    return Operation.objects.get(pk=operation.pk)
