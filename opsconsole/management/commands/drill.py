"""`manage.py drill`: play the crash windows on the running console, and keep what was seen."""

import getpass
import logging
import os
import secrets
import signal
from argparse import ArgumentParser
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from opsconsole.drill.failing import CannotDrill, Stopped
from opsconsole.drill.running import Wanted, run_drills
from opsconsole.drill.table import table
from opsconsole.embedded.children import console_url
from opsconsole.shell import release
from reconciliation.models import DrillResult
from reconciliation.protocol.drills import BY_NAME, DRILLS, DrillVerdict

LARGEST_SEED = 2**31
INTERRUPTED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command(BaseCommand):
    """Exit code 0 when every drill passed, 1 when one failed or none began, 130 when stopped."""

    help = (
        "Kill agents and dispatchers of its own in every crash window, on the running console and "
        "its sandbox receiver, in the environment “drill”; print and keep what was counted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Without names all drills are played."""
        names = ", ".join(BY_NAME)
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {names}")
        parser.add_argument("--seed", type=int, help="sets the orders and their order; printed")
        parser.add_argument("--url", default="", help="where the console is; default: by PORT")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError (exit code 1) with a sentence."""
        logging.getLogger("httpx").setLevel(logging.WARNING)  # hundreds of lines, all alike
        # A shell that starts it in the background would have it ignore Ctrl-C and kill -INT; a
        # time limit or a closed terminal must not leave a run behind that reads as running.
        for number in STOPPING:
            signal.signal(number, _stop_once)
        seed = secrets.randbelow(LARGEST_SEED) if options["seed"] is None else options["seed"]
        self._lock = Lock()
        wanted = Wanted(
            url=(options["url"] or console_url(settings.BIND_ADDRESS, settings.PORT)).rstrip("/"),
            drills=_drills(options["names"]),
            seed=seed,
            started_by=_account(),
            release=release(),
        )
        if not 0 <= seed < LARGEST_SEED:
            raise CommandError(f"--seed: expected 0 to {LARGEST_SEED - 1}, got {seed}.")
        try:
            run, results = run_drills(wanted, say=self._say)
        except CannotDrill as why:
            raise CommandError(str(why)) from None
        except Stopped as stopped:
            raise CommandError(
                "Stopped before its end; the drills that were over are kept. "
                f"See {wanted.url}/drills/{stopped.run}/",
                returncode=INTERRUPTED,
            ) from None
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped before the first drill began; there is no result to keep.",
                returncode=INTERRUPTED,
            ) from None
        self._tell(results)
        failed = [each.name for each in results if each.verdict == DrillVerdict.FAILED]
        self._say(f"Kept as drill {run.pk}: {wanted.url}/drills/{run.pk}/")
        if failed:
            raise CommandError(
                f"{len(failed)} of {len(results)} drills failed: {', '.join(failed)}."
            )
        self._say(f"All {len(results)} drills passed.")

    def _tell(self, results: list[DrillResult]) -> None:
        for line in ("", *table(results), ""):
            self._say(line)

    def _say(self, line: str) -> None:
        with self._lock:
            self.stdout.write(line)
            self.stdout.flush()


def _stop_once(number: int, frame: Any) -> None:
    """A second Ctrl-C would break off what writes the end on record; that takes a moment only."""
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)
    signal.default_int_handler(number, frame)


def _account() -> str:
    """The account on this machine; its number where it has no name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"account {os.getuid()}"


def _drills(names: list[str]) -> list[Any]:
    names = [name.replace("-", "_") for name in names]
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise CommandError(f"expected some of {', '.join(BY_NAME)}; got {unknown[0]}.")
    return [drill for drill in DRILLS if not names or drill.name in names]
