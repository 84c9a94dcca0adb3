"""`python -m tests.campaigns.model [workers]`: every variant, its size, its verdict, its steps."""

import sys

from tests.campaigns.model.variants import VARIANTS, Explored, explore_variant


def say(text: str) -> None:
    """At once, so that one can watch."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def line(explored: Explored) -> str:
    """One row of the table."""
    found = explored.found
    verdict = f"VIOLATED: {found.broken.value}" if found.broken else "holds"
    steps = f" ({len(found.trace)} steps)" if found.broken else ""
    mark = "!!" if explored.mistake else "  "
    return (
        f"{mark} {explored.variant.kind.value:8} {explored.variant.name:62} "
        f"{found.states:8,} {found.transitions:10,} {found.seconds:6.1f} s  {verdict}{steps}"
    )


def main(arguments: list[str]) -> int:
    """0 when every verdict is the expected one."""
    most_workers = int(arguments[0]) if arguments else None
    all_of_them = []
    for variant in VARIANTS:
        explored = explore_variant(variant, most_workers=most_workers)
        all_of_them.append(explored)
        say(line(explored))
    for explored in all_of_them:
        if explored.found.broken:
            say(f"\n{explored.variant.name}: {explored.found.broken.value}")
            for number, step in enumerate(explored.found.trace, start=1):
                say(f"  {number:2}. {step.sentence()}")
    total = sum(explored.found.seconds for explored in all_of_them)
    states = sum(explored.found.states for explored in all_of_them)
    say(f"\n{len(all_of_them)} variants, {states:,} states, {total:.1f} s")
    mistakes = [explored.mistake for explored in all_of_them if explored.mistake]
    say("\n".join(mistakes))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
