"""`up`: start the console with everything it needs, and keep it running."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from opsconsole.demo.announcement import sign_in_table
from opsconsole.demo.record import DemoRecord
from opsconsole.embedded.children import Plan
from opsconsole.embedded.console import run
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.supervisor import stop_on_signals


class Command(BaseCommand):
    """Settings come from the environment; see the README's table."""

    help = "Start the embedded servers, migrate, and run web, worker and beat until Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take --demo."""
        parser.add_argument(
            "--demo", action="store_true", help="also seed data, run the sandbox and demo agents"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until a signal; what cannot start is one sentence and exit code 1."""
        stop_on_signals()
        plan = Plan(
            root=settings.OPSCONSOLE_DATA,
            account_name=settings.EMBEDDED_ACCOUNT,
            bind_address=settings.BIND_ADDRESS,
            port=settings.PORT,
            web_threads=settings.WEB_THREADS,
            worker_processes=settings.WORKER_PROCESSES,
            with_database=settings.IS_EMBEDDED_DATABASE,
            with_broker=settings.IS_EMBEDDED_BROKER,
            with_demo=options["demo"],
        )
        self._say("Starting opsconsole …")
        try:
            run(plan, say=self._say, announce=lambda: self._announce(plan))
        except CannotStart as error:
            raise CommandError(str(error)) from error
        self._say("Everything is stopped.")

    def _announce(self, plan: Plan) -> None:
        lines = [f"  opsconsole   {plan.url}", f"  logs         {settings.DATA.logs}"]
        if plan.with_demo:
            lines += ["", *sign_in_table(DemoRecord.load(settings.DATA.demo_record))]
        for line in ("", *lines, ""):
            self._say(line)
        self._say("Ctrl-C stops everything.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
