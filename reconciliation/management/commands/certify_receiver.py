"""`manage.py certify_receiver SLUG`: probe a sandbox account, print and keep what was seen."""

import getpass
import logging
import os
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations import clock
from operations.receivers.base import ReceiverConfig
from operations.receivers.connectors import connector
from operations.registry import configuration
from reconciliation.actions.probe_receiver import Prober
from reconciliation.actions.receiver_ledger import ledger_of
from reconciliation.actions.record_certification import record_certification
from reconciliation.protocol.certification import Finding, table

LONGEST_SEED = 40


class Command(BaseCommand):
    """Exit code 0 when nothing differed from its claim, 1 when something did or none was tried."""

    help = (
        "Probe a receiver's sandbox account through its own connector, and keep claimed beside "
        "observed. It makes real orders there, under keys that begin with certify-."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The receiver, and where it is probed if that is in doubt."""
        parser.add_argument("receiver", metavar="SLUG")
        parser.add_argument("--environment", default="", help="one that may be probed")
        parser.add_argument("--seed", default="", help="part of the keys; default: random")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit code 1) with a sentence."""
        logging.getLogger("httpx").setLevel(logging.WARNING)
        config = _config(options["receiver"], options["environment"])
        receiver = connector(config)
        if receiver is None or config.certify is None:
            raise CommandError(f"{config.name} has no interface that could be probed.")
        seed = options["seed"] or secrets.token_hex(4)
        if len(seed) > LONGEST_SEED or not seed.isascii() or not seed.isalnum():
            raise CommandError(f"--seed: expected 1 to {LONGEST_SEED} letters and digits.")
        self.stdout.write(
            f"Probing {config.name} in {config.environment} at {config.base_url}, "
            f"under keys that begin with certify-{seed}-."
        )
        prober = Prober(
            config=config,
            receiver=receiver,
            sample=config.certify,
            seed=seed,
            began_at=clock.now(),
            ledger=ledger_of(config),
        )
        rows = prober.rows()
        kept = record_certification(config=config, seed=seed, started_by=_account(), rows=rows)
        for line in ("", *table(rows), "", f"Kept as certification {kept.pk}."):
            self.stdout.write(line)
        differing = [str(each.probe) for each in rows if each.finding == Finding.DIFFERS]
        if differing:
            raise CommandError(f"Observed differs from claimed: {', '.join(differing)}.")


def _config(name: str, environment: str) -> ReceiverConfig:
    """The one place where it is probed. Raises CommandError unless the file allows it there."""
    known = [each for (_, slug), each in configuration().receivers.items() if slug == name]
    if not known:
        slugs = sorted({slug for _, slug in configuration().receivers})
        raise CommandError(f"expected a receiver, one of {', '.join(slugs)}; got {name}.")
    allowed = [each for each in known if each.certify]
    if not allowed:
        raise CommandError(
            f"{name} may not be probed: a probe makes real effects. Where it has a sandbox "
            f"account, name its environment in [receivers.{name}.certify] of opsconsole.toml."
        )
    found = [each for each in allowed if environment in ("", each.environment)]
    if len(found) != 1:
        names = ", ".join(each.environment for each in allowed)
        got = environment or "none"
        raise CommandError(f"--environment: expected one that may be probed ({names}); got {got}.")
    return found[0]


def _account() -> str:
    """The account on this machine; its number where it has no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"account {os.getuid()}"
