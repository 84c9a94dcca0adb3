"""One row of a machine's statement is recorded on its operation, in one transaction with its mark.

The receiver's own word, so it counts in every state (rule 4) and confirms as `receipt`.
"""

from django.db import transaction

from operations.actions.record_receipt import Recorded, record_receipt
from operations.actors import Actor
from operations.models import Receipt
from operations.protocol.states import Channel, State
from reconciliation.models import AppliedRow, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome, Standing, outcome_of
from reconciliation.queries.weigh_rows import WeighedRow


def apply_row(*, run: StatementRun, one: WeighedRow) -> Outcome:
    """What came of it. A row that was done already raises IntegrityError, and nothing is done."""
    standing = one.standing
    assert standing is not None
    with transaction.atomic(durable=True):
        recorded = record_receipt(
            operation_id=standing.id,
            value=one.said,
            channel=Channel.STATEMENT,
            raw=one.row.raw,
            actor=machine(run),
        )
        outcome = became(recorded, standing)
        mark_done(run, one, outcome, receipt=recorded.receipt)
    return outcome


def machine(run: StatementRun) -> Actor:
    """Whose word it is, in the trail of each operation."""
    return Actor.system(f"statement {run.statement_id}", request_id=batch_id(run))


def batch_id(run: StatementRun) -> str:
    """What every entry of one application carries, so that they are found together."""
    return f"statement-{run.statement_id}-run-{run.pk}"


def became(recorded: Recorded, standing: Standing) -> Outcome:
    """The word for what came of a row, beside how its operation stood before."""
    operation = recorded.operation
    outcome = outcome_of(recorded.verdict, state=State(operation.state), was=standing.state)
    if outcome is Outcome.ALREADY and operation.grade != standing.grade:
        return Outcome.CORROBORATES
    return outcome


def mark_done(
    run: StatementRun,
    one: WeighedRow,
    outcome: Outcome,
    *,
    receipt: Receipt | None,
    detail: str = "",
) -> None:
    """In the transaction that did it."""
    row = AppliedRow(
        run=run, number=one.row.number, outcome=str(outcome), receipt=receipt, detail=detail
    )
    row.save(force_insert=True)
