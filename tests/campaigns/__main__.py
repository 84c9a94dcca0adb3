"""`make campaigns`: try to break the promise in every way we know, and print what came of it.

python -m tests.campaigns [NAME ...] [--budget 10m] [--seed N] [--focus TEXT] [--slice]
    [--may-skip NAME ...]

A campaign that could not be run here has not passed, unless it is one that may be skipped.
Several run two at a time, each in a process of its own; one alone, and slices, in this one.
"""

import argparse
import json
import logging
import os
import re
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.campaigns.harness.campaign import Campaign
    from tests.campaigns.running import Wish


def budget_seconds(text: str) -> float:
    """`90s`, `10m` or `2h` in seconds. Raises ArgumentTypeError with a sentence."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if not found:
        raise argparse.ArgumentTypeError(
            f"expected a number with s, m or h, such as 10m; got {text!r}"
        )
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def part_of(text: str) -> tuple[int, int]:
    """`1/2` as the first of two. Raises ArgumentTypeError with a sentence."""
    found = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"expected a part such as 1/2; got {text!r}")
    return int(found[1]), int(found[2])


def main(arguments: Sequence[str]) -> int:
    """0 when every campaign passed, 1 when one failed or was not run, 2 for a name that is none."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; default: all")
    parser.add_argument("--budget", type=budget_seconds, default="10m", help="default: 10m")
    parser.add_argument("--seed", type=int, help="of an earlier run, to repeat it")
    parser.add_argument("--focus", default="", help="only points whose names hold this text")
    parser.add_argument("--slice", action="store_true", help="the short form in `make test`")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--part", type=part_of, default="1/1", help="of a campaign in parts")
    parser.add_argument("--here", action="store_true", help="one by one, in this process")
    parser.add_argument(
        "--may-skip", action="append", default=[], metavar="NAME", help="need not be possible here"
    )
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that folders are cleared away
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    logging.disable(logging.CRITICAL)  # what the product says under attack would fill the screen
    from tests.campaigns.running import Wish

    seed = given.seed if given.seed is not None else secrets.randbelow(2**32)
    wish = Wish(
        seed=seed,
        budget_seconds=given.budget,
        is_slice=given.slice,
        focus=given.focus,
        part=given.part,
    )
    return _run(given, wish)


def _run(given: argparse.Namespace, wish: "Wish") -> int:
    from tests.campaigns.catalogue import campaigns
    from tests.campaigns.lanes import run_in_lanes
    from tests.campaigns.results import table
    from tests.campaigns.running import run_here, say

    all_of_them = campaigns()
    known = [campaign.name for campaign in all_of_them]
    wrong = [name for name in (*given.names, *given.may_skip) if name not in known]
    if wrong:
        say(f"expected names of campaigns ({', '.join(known)}), got {', '.join(wrong)}")
        return 2
    chosen = [each for each in all_of_them if not given.names or each.name in given.names]
    mistake = _mistake(given, chosen)
    if mistake:
        say(mistake)
        return 2
    say(f"seed {wish.seed}; repeat with SEED={wish.seed}")
    is_single = len(chosen) == 1 and chosen[0].parts == 1
    is_here = given.here or given.slice or is_single
    results = (run_here if is_here else run_in_lanes)(chosen, wish)
    say("\n" + table(results))
    if given.json:
        Path(given.json).write_text(json.dumps([each.as_json() for each in results], indent=1))
    return 0 if all(each.has_passed(may_skip=given.may_skip) for each in results) else 1


def _mistake(given: argparse.Namespace, chosen: Sequence["Campaign"]) -> str:
    """What these campaigns can not be asked for, or "": found now, and not after hours."""
    unfocused = [each.name for each in chosen if not each.has_focus]
    if given.focus and unfocused:
        return f"--focus: expected campaigns that know one, got {', '.join(unfocused)}"
    if given.part != (1, 1) and [each.parts for each in chosen] != [given.part[1]]:
        return f"--part: expected one campaign with {given.part[1]} parts, got another"
    if given.json:
        try:
            Path(given.json).touch()
        except OSError as error:
            return f"--json: expected a file that can be written, got {error}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
