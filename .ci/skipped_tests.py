"""Fails when a test that needs more than Python was skipped, or when there was none of them."""

import sys
from xml.etree import ElementTree

MUST_RUN = ("browser", "race", "pooler", "campaigns")


def main(report: str) -> int:
    """Read pytest's JUnit file; return 1 with a sentence when a marked test did not run."""
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - our own pytest wrote it
    problems = [problem for marker in MUST_RUN for problem in _problems(cases, marker)]
    for problem in problems:
        sys.stdout.write(problem + "\n")
    return 1 if problems else 0


def _problems(cases: list[ElementTree.Element], marker: str) -> list[str]:
    marked = [case for case in cases if marker in _markers(case)]
    if not marked:
        return [f"No test is marked {marker}: expected at least one."]
    return [
        f"{case.get('classname')}::{case.get('name')} is marked {marker} and was skipped."
        for case in marked
        if case.find("skipped") is not None
    ]


def _markers(case: ElementTree.Element) -> list[str]:
    return [
        str(each.get("value")) for each in case.iter("property") if each.get("name") == "marker"
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
