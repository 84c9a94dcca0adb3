"""`manage.py verify_audit`: recompute every audit trail and name the first bad entry of each."""

from argparse import ArgumentParser
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from operations.models import AuditEntry, Operation
from operations.queries.audit_proof import Proof, prove_all, prove_operation, stream_of

SHOWN = 20


class Command(BaseCommand):
    """Exit code 0 when everything holds, 1 when an entry does not or there is no such operation."""

    help = "Recompute the hash chains of the audit trail, and the words beside them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Without --operation every trail is checked."""
        parser.add_argument("--operation", help="id or key of one operation; default: all trails")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit code 1) with the first bad entry of each bad trail."""
        asked = options["operation"]
        proof = prove_operation(_operation_id(asked)) if asked else prove_all()
        if not proof.is_whole:
            raise CommandError(_told(proof))
        self.stdout.write(
            f"Whole: {proof.entry_count} entries in {proof.trail_count} trails; "
            f"{proof.erased_count} of them with erased words."
        )


def _operation_id(asked: str) -> UUID:
    with suppress(ValueError):
        operation_id = UUID(asked)
        if AuditEntry.objects.filter(stream=stream_of(operation_id)).exists():
            return operation_id
    found = list(Operation.objects.filter(key=asked).values_list("pk", flat=True)[:2])
    if len(found) == 1:
        return found[0]
    got = "a key of several environments" if found else "neither"
    raise CommandError(f"--operation {asked}: expected an operation's id or key, got {got}.")


def _told(proof: Proof) -> str:
    lines = [f"Broken: {len(proof.faults)} of {proof.trail_count} trails. First bad entries:"]
    lines += [f"  {fault}" for fault in proof.faults[:SHOWN]]
    left_out = len(proof.faults) - SHOWN
    return "\n".join([*lines, f"  … and {left_out} more."] if left_out > 0 else lines)
