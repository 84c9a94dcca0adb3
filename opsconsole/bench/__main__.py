"""`python -m opsconsole.bench`: the lifecycle of an operation beside the bare SQL for it."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from opsconsole.embedded.services import Services

THREADS = (1, 8, 16)


def main() -> int:
    """Start a durable PostgreSQL of its own, measure, print a table, stop it."""
    options = argparse.ArgumentParser(prog="python -m opsconsole.bench")
    options.add_argument("--seconds", type=float, default=6.0, help="per figure")
    options.add_argument(
        "--rounds", type=int, default=3, help="pairs of figures; the median counts"
    )
    given = options.parse_args()
    kept = Path(os.environ.get("OPSCONSOLE_DATA") or ".data").absolute()
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept, prefix="bench-") as root:
        os.chmod(root, 0o711)  # noqa: S103  the servers run under an account of their own
        services = Services.start(Path(root), with_broker=False)
        try:
            _measure(Path(root), services, seconds=given.seconds, rounds=given.rounds)
        finally:
            services.stop()
    return 0


def _measure(root: Path, services: Services, *, seconds: float, rounds: int) -> None:
    os.environ["OPSCONSOLE_DATA"] = str(root)
    os.environ["DATABASE_URL"] = services.record.database_url
    os.environ["DATABASE_OWNER_URL"] = services.record.owner_url
    os.environ["DATABASE_POOL_SIZE"] = "0"  # one connection a thread, on both sides
    os.environ["DJANGO_SETTINGS_MODULE"] = "opsconsole.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from opsconsole.bench.compare import compare

    for line in compare(services.record.database_url, THREADS, seconds=seconds, rounds=rounds):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
