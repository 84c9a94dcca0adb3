"""`python -m opsconsole.embedded`: the two servers in the foreground, for work on the code."""

import os
import sys
from pathlib import Path

from opsconsole.embedded.console import run_services
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.supervisor import stop_on_signals


def main() -> int:
    """Run PostgreSQL and Valkey until Ctrl-C or SIGTERM."""
    root = Path(os.environ.get("OPSCONSOLE_DATA") or ".data").absolute()
    account = os.environ.get("EMBEDDED_ACCOUNT") or "nobody"
    stop_on_signals()
    try:
        run_services(root, account_name=account, say=lambda line: print(line, flush=True))
    except CannotStart as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
