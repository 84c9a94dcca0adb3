#!/usr/bin/env python3
"""Django's command line for opsconsole."""

import os
import sys


def main() -> None:
    """Run the command named on the command line; a wrong setting is one sentence, exit code 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "opsconsole.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
