#!/usr/bin/env python3
"""Django's command line for opsconsole."""

import os
import sys


def main() -> None:
    """Run the command named on the command line; a wrong setting is one sentence, exit code 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "opsconsole.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
    except ModuleNotFoundError:
        words = (
            "expected Django in {}, got none; `make environment` makes .venv: .venv/bin/python {}"
        )
        sys.exit(words.format(sys.executable, " ".join(sys.argv)))
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
