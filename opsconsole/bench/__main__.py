"""`python -m opsconsole.bench`: the product beside a floor measured in the same run."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from opsconsole.embedded.services import Services

THREADS = (1, 8, 16)
BENCHES = ("lifecycle", "backlog", "statement")
# A receiver that can take it; the rest of the configuration is the project's own.
ONE_THAT_TAKES_MANY = 'connector = "sandbox"\nlookups_at_once = 64\n'


def main() -> int:
    """Start a durable PostgreSQL of its own, measure, print a table for each, stop it."""
    options = argparse.ArgumentParser(prog="python -m opsconsole.bench")
    options.add_argument("benches", nargs="*", help=f"some of {', '.join(BENCHES)}; else all")
    options.add_argument("--seconds", type=float, default=6.0, help="per figure of lifecycle")
    options.add_argument(
        "--rounds", type=int, default=3, help="pairs of figures; the median counts"
    )
    options.add_argument("--unknowns", type=int, default=10_000, help="operations of backlog")
    options.add_argument("--rows", type=int, default=100_000, help="rows of statement")
    given = options.parse_args()
    if unknown := set(given.benches) - set(BENCHES):
        options.error(f"expected some of {', '.join(BENCHES)}, got {', '.join(sorted(unknown))}")
    kept = Path(os.environ.get("OPSCONSOLE_DATA") or ".data").absolute()
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept, prefix="bench-") as root:
        os.chmod(root, 0o711)  # noqa: S103  the servers run under an account of their own
        services = Services.start(Path(root))
        try:
            _set_up(Path(root), services)
            for line in _measure(Path(root), services, given):
                print(line, flush=True)
        finally:
            services.stop()
    return 0


def _set_up(root: Path, services: Services) -> None:
    project = Path("opsconsole.toml").read_text(encoding="utf-8")
    config = root / "opsconsole.toml"
    config.write_text(project.replace('connector = "sandbox"\n', ONE_THAT_TAKES_MANY))
    os.environ |= {
        "OPSCONSOLE_DATA": str(root),
        "OPSCONSOLE_CONFIG": str(config),
        "DATABASE_URL": services.record.database_url,
        "DATABASE_OWNER_URL": services.record.owner_url,
        "CELERY_BROKER_URL": services.record.broker_url,
        "DATABASE_POOL_SIZE": "0",  # one connection a thread, on both sides
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
    }
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _measure(root: Path, services: Services, given: argparse.Namespace) -> Iterator[str]:
    from opsconsole.bench.backlog import settle_backlog
    from opsconsole.bench.compare import compare
    from opsconsole.bench.lifecycle import Lifecycle
    from opsconsole.bench.statement import import_statement

    url, product = services.record.database_url, Lifecycle()
    chosen = given.benches or BENCHES
    if "lifecycle" in chosen:
        yield from compare(product, url, THREADS, seconds=given.seconds, rounds=given.rounds)
    if "backlog" in chosen:
        yield from settle_backlog(root, url, count=given.unknowns)
    if "statement" in chosen:
        yield from import_statement(root, services.record, count=given.rows)


if __name__ == "__main__":
    sys.exit(main())
