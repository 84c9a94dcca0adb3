"""`make campaigns`: try to break the promise in every way we know, and print what came of it.

python -m tests.campaigns [NAME ...] [--budget 10m] [--seed N] [--focus TEXT] [--slice]
"""

import argparse
import logging
import os
import re
import secrets
import sys
from collections.abc import Sequence


def budget_seconds(text: str) -> float:
    """`90s`, `10m` or `2h` in seconds. Raises ArgumentTypeError with a sentence."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found:
        raise argparse.ArgumentTypeError(
            f"expected a number with s, m or h, such as 10m; got {text!r}"
        )
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def main(arguments: Sequence[str]) -> int:
    """0 when every campaign passed, 1 when one failed, 2 for a name that is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")
    parser.add_argument("--budget", type=budget_seconds, default="10m", help="default: 10m")
    parser.add_argument("--seed", type=int, help="of an earlier run, to repeat it")
    parser.add_argument("--focus", default="", help="only points whose names hold this text")
    parser.add_argument("--slice", action="store_true", help="the short form in `make test`")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    given = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    logging.disable(logging.CRITICAL)  # what the product says under attack would fill the screen
    from tests.campaigns.running import run_all

    return run_all(
        names=given.names,
        budget_seconds=given.budget,
        seed=given.seed if given.seed is not None else secrets.randbelow(2**32),
        is_slice=given.slice,
        focus=given.focus,
        json_path=given.json,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
