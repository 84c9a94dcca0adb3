"""`manage.py import_receipts FILE`: a receiver's own export, compared, and with --apply applied."""

import getpass
import os
import socket
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from operations.actors import Actor
from operations.protocol.refusals import Refusal
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.run_statement import run_statement
from reconciliation.actions.stage_statement import StatementFile, stage_statement
from reconciliation.models import Statement, StatementRun
from reconciliation.protocol.statements.passes import GOING_ON, Purpose, RunStatus
from reconciliation.protocol.statements.totals import told, totals_table
from reconciliation.queries.statement_profiles import statement_profile
from reconciliation.queries.statement_runs import waits_for

ACTOR = Actor.system("import_receipts")
PAUSE_SECONDS = 0.5


class Command(BaseCommand):
    """Exit code 0 when the file was read to its end, 1 with a sentence when it was not."""

    help = (
        "Compare a receiver's statement with the record, row by row, and print the totals. It is a "
        "dry run: with --apply exact matches are confirmed, and the rest is kept as evidence."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, whose it is, and how it is written."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--receiver", required=True)
        parser.add_argument("--environment", required=True)
        parser.add_argument("--profile", required=True, help="its form, of [statements]")
        parser.add_argument("--apply", action="store_true", help="default: a dry run")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit code 1) with a sentence."""
        try:
            statement = self._stage(options)
            done = self._applied(statement, may_finish=options["apply"])
            if done is None:
                rehearsal = self._rehearse(statement)
                done = self._apply(rehearsal) if options["apply"] else None
        except Refusal as refusal:
            raise CommandError(f"{refusal.detail} {refusal.remedy}") from None
        if done is None:
            self.stdout.write("Nothing was changed: this was a dry run. --apply carries it out.")
        elif done.status in GOING_ON:
            self.stdout.write("Nothing was changed: --apply goes on with it, to its end.")
        else:
            self._tell("Applied:", done)

    def _stage(self, options: dict[str, Any]) -> Statement:
        path: Path = options["file"]
        try:
            with path.open("rb") as stream:
                staged = stage_statement(
                    actor=ACTOR,
                    file=StatementFile(
                        environment=options["environment"],
                        receiver=options["receiver"],
                        profile=options["profile"],
                        name=path.name,
                        stream=stream,
                    ),
                    started_by=_account(),
                )
        except OSError as error:
            raise CommandError(f"expected a file that can be read; got {path} ({error}).") from None
        kept = staged.statement
        self.stdout.write(
            f"Statement {kept.pk}: {kept.file_name}, {kept.size_bytes:,} bytes, "
            f"{kept.receiver} in {kept.environment}, read as {kept.profile}."
        )
        return kept

    def _applied(self, statement: Statement, *, may_finish: bool) -> StatementRun | None:
        """This very file, applied before: finished where that may be, and nothing else is done."""
        run = StatementRun.objects.filter(
            environment=statement.environment,
            receiver=statement.receiver,
            digest=statement.digest,
            purpose=Purpose.APPLY,
        ).first()
        if run is None:
            return None
        is_over = run.status not in GOING_ON
        self.stdout.write(
            f"This file was applied before, as statement {run.statement_id} at "
            f"{run.opened_at:%Y-%m-%d %H:%M:%S} UTC; "
            + ("nothing is changed." if is_over else f"it stands at row {run.row_count:,}.")
        )
        if is_over or may_finish:
            return self._finish(run)
        self.stdout.write(_why_not(run) or "A worker is at it.")
        return run

    def _rehearse(self, statement: Statement) -> StatementRun:
        profile = statement_profile(statement.profile, statement.receiver)
        run = self._finish(rehearse_statement(statement=statement, profile=profile))
        self._tell("Dry run:", run)
        return run

    def _apply(self, rehearsal: StatementRun) -> StatementRun:
        statement = rehearsal.statement
        profile = statement_profile(statement.profile, statement.receiver)
        with transaction.atomic():
            run = apply_statement(
                rehearsal=rehearsal,
                profile=profile,
                actor=ACTOR,
                reason=f"started by {_account()}",
            )
        return self._finish(run)

    def _finish(self, run: StatementRun) -> StatementRun:
        """Work on it here; where a worker has it, wait for that. Raises CommandError."""
        told = ""
        while run.status in GOING_ON:
            taken = run_statement(run_id=run.pk, holder=f"{socket.gethostname()}/{os.getpid()}")
            run = StatementRun.objects.select_related("statement", "rehearsal").get(pk=run.pk)
            if taken is not None and run.status == RunStatus.WAITING:
                raise _stopped(run)
            if taken is None:
                why = _why_not(run)
                if why and why != told:
                    self.stderr.write(why)
                told = why
                time.sleep(PAUSE_SECONDS)
            elif run.status in GOING_ON:
                self.stderr.write(f"{run.row_count:,} rows so far")
        if run.status == RunStatus.FAILED:
            raise _stopped(run)
        return run

    def _tell(self, title: str, run: StatementRun) -> None:
        lines = totals_table(told(run.purpose, run.counts), run.row_count)
        self.stdout.write("\n".join(["", title, *lines, ""]))


def _why_not(run: StatementRun) -> str:
    """Why nobody is at it now; "" where a worker is, or it is over."""
    if run.status != RunStatus.WAITING:
        return ""
    number = waits_for([run]).get(run.pk)
    if number is not None:
        return f"It waits for statement {number}, which is applied now."
    return f"It is held up: {_fault_words(run)}" if run.fault else "It waits for a worker."


def _stopped(run: StatementRun) -> CommandError:
    return CommandError(_fault_words(run))


def _fault_words(run: StatementRun) -> str:
    fault = run.fault or {}
    return " ".join(str(fault.get(name, "")) for name in ("sentence", "remedy"))


def _account() -> str:
    """The account on this machine; its number where it has no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"account {os.getuid()}"
