"""`manage.py create_token`: a new API token, printed once."""

import re
from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from operations import clock
from operations.actions.create_token import create_token
from operations.actors import Actor
from operations.protocol.refusals import Refusal

DEFAULT_EXPIRES = "90d"
DAYS = re.compile(r"([0-9]{1,5})d", re.ASCII)


class Command(BaseCommand):
    """Makes a token, and its agent when that is new; the token alone goes to standard output."""

    help = "Make an API token for an agent. Its secret is shown once and kept only as a digest."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Lists are separated by commas; an empty one reaches everything configured."""
        parser.add_argument("--agent", required=True, help="name of the agent; made if it is new")
        parser.add_argument("--owner", required=True, help="username of the responsible person")
        for name in ("environments", "kinds", "receivers"):
            parser.add_argument(f"--{name}", default="", help="separated by commas; default: all")
        parser.add_argument(
            "--expires",
            default=DEFAULT_EXPIRES,
            help="30d, 2026-12-31, 2026-12-31T12:00:00Z or never (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence for a person, name or time that is not known."""
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(
                f"--owner: expected the username of somebody here, got {options['owner']!r}."
            )
        try:
            made = create_token(
                actor=Actor.system("create_token"),
                agent_name=options["agent"],
                owner=owner,
                environments=_names(options["environments"]),
                kinds=_names(options["kinds"]),
                receivers=_names(options["receivers"]),
                expires_at=_expires_at(options["expires"]),
            )
        except Refusal as refusal:
            raise CommandError(f"{refusal.detail} {refusal.remedy}") from None
        until = made.token.expires_at
        told = f"valid until {until:%Y-%m-%d %H:%M} UTC" if until else "valid until it is revoked"
        self.stderr.write(f"A token of agent {options['agent']}, {told}. It is shown only now:")
        self.stdout.write(made.secret)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _expires_at(text: str) -> datetime | None:
    if text == "never":
        return None
    if days := DAYS.fullmatch(text):
        return clock.now() + timedelta(days=int(days[1]))
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(
            f"--expires: expected 30d, an ISO 8601 date or time, or never; got {text!r}."
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
