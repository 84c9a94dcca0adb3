"""`seed_demo`: people, agents and a history for the demo; run again, it keeps what is there."""

import logging
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand

from opsconsole.demo.record import DemoRecord
from opsconsole.demo.seed import ensure_cast, tell_history
from opsconsole.embedded.children import console_url
from reconciliation.sandbox.process import SandboxProcess


class Command(BaseCommand):
    """Writes demo.json (mode 600). Needs a migrated database."""

    help = "Seed the demo's people, agents and history; once seeded, add nothing twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take --people."""
        parser.add_argument(
            "--people", action="store_true", help="make people, agents and demo.json alone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, with the sandbox running; it is started for that when it is not."""
        logging.getLogger("httpx").setLevel(logging.WARNING)  # hundreds of lines, all alike
        # No worker runs yet, and the sweeps find every row by themselves.
        current_app.conf.broker_url = "memory://"
        record = DemoRecord.load(settings.DATA.demo_record)
        record.url = console_url(settings.BIND_ADDRESS, settings.PORT)
        record.sandbox_url = settings.SANDBOX_URL
        record.sandbox_webhook_secret = settings.SANDBOX_WEBHOOK_SECRET
        ensure_cast(record).close()
        record.save(settings.DATA.demo_record)
        if options["people"]:
            self.stdout.write(f"{settings.DATA.demo_record} says who signs in.")
            return
        with _sandbox_running(record.sandbox_url):
            count = tell_history(record)
        self.stdout.write(f"{count} stories told; {settings.DATA.demo_record} says who signs in.")


@contextmanager
def _sandbox_running(url: str) -> Iterator[None]:
    try:
        httpx.get(f"{url}/healthz", trust_env=False).raise_for_status()
    except httpx.HTTPError:
        with SandboxProcess(settings.DATA.sandbox, port=urlsplit(url).port or 80):
            yield
    else:
        yield
