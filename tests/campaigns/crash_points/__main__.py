"""`python -m tests.campaigns.crash_points --freeze`: write the list of points anew."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Print the difference from the frozen list; with --freeze, write it. 1 when it differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--freeze", action="store_true", help="write points.txt")
    given = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    from tests.campaigns.crash_points.judging import agents_console, groups, warm_up
    from tests.campaigns.crash_points.listing import FROZEN, differences, enumerated, written
    from tests.campaigns.harness.rig import rig

    listed = {}
    with rig() as running, agents_console(running):
        for group in groups():
            running.empty()
            warm_up(group)
            if group[0].is_alone:
                running.empty()
            listed |= {flow: enumerated(flow) for flow in group}
    found = differences(listed)
    sys.stdout.write("\n".join(found or ["as frozen"]) + "\n")
    if given.freeze:
        FROZEN.write_text(written(listed))
        return 0
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
