"""`python -m opsconsole.embedded`: the two servers in the foreground, for work on the code."""

import os
import signal
import sys
from pathlib import Path

from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.lock import only_one
from opsconsole.embedded.services import Services


def main() -> int:
    """Run PostgreSQL and Valkey until Ctrl-C or SIGTERM."""
    root = Path(os.environ.get("OPSCONSOLE_DATA") or ".data").absolute()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with only_one(root):
            services = Services.start(
                root, account_name=os.environ.get("EMBEDDED_ACCOUNT") or "nobody"
            )
            print(
                f"PostgreSQL and Valkey are running; their addresses are in {root}/embedded.json."
            )
            print("Ctrl-C stops them.", flush=True)
            try:
                services.postgres.wait()
            finally:
                services.stop()
    except KeyboardInterrupt:
        return 0
    except CannotStart as error:
        print(error, file=sys.stderr)
        return 1
    print("PostgreSQL ended by itself.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
