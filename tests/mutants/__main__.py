"""`make mutants`: plants every small fault in the protocol and counts those that no test notices.

Prints a line for each module and exits 1 on a survivor that survivors.toml does not explain.
"""

import argparse
import os
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.mutants import reach, survivors
from tests.mutants.making import Mutant, mutants_of
from tests.mutants.trying import End, trials

UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass
class Result:
    """What became of one module's mutants."""

    module: str
    made: list[Mutant]
    killed: list[Mutant] = field(default_factory=list)
    explained: list[Mutant] = field(default_factory=list)
    unexplained: list[Mutant] = field(default_factory=list)

    @property
    def run_count(self) -> int:
        return len(self.killed) + len(self.explained) + len(self.unexplained)


def main() -> int:
    """Try the mutants of the chosen modules until the budget is used up; 1 when one is a hole."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("module", nargs="*", help="the last part of a module's name; none: all")
    parser.add_argument("--budget", type=_seconds, default=_seconds("90m"), help="such as 10m")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    with TemporaryDirectory(prefix="mutants-") as kept:
        sys.pycache_prefix, sys.dont_write_bytecode = kept, False  # compiled once, not every time
        return _run(given.module, given.jobs, ends_at=monotonic() + given.budget)


def _run(names: list[str], jobs: int, *, ends_at: float) -> int:
    settings = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["mutants"]
    tests = sorted(path for place in settings["tests"] for path in Path(place).glob("test_*.py"))
    explanations = survivors.explained()
    print(
        f"{'module':42}{'mutants':>9}{'killed':>9}{'explained':>11}{'unexplained':>13}", flush=True
    )
    results = []
    for path in _chosen(settings["modules"], settings["left_out"], names):
        result = _try_module(path, tests, explanations, jobs, ends_at)
        results.append(result)
        _tell(result)
    return _conclude(results, explanations)


def _seconds(text: str) -> float:
    return float(text[:-1]) * UNITS[text[-1]]


def _chosen(globs: list[str], left_out: dict[str, str], names: list[str]) -> list[Path]:
    """The modules in the order of the configuration: what is most dangerous comes first."""
    paths = [path for pattern in globs for path in sorted(Path().glob(pattern))]
    unique = [path for path in dict.fromkeys(paths) if str(path) not in left_out]
    unique = [path for path in unique if path.stem != "__init__"]
    unknown = set(names) - {path.stem for path in unique}
    if unknown:
        raise SystemExit(f"expected the name of a protocol module, got {', '.join(unknown)}")
    return [path for path in unique if not names or path.stem in names]


def _try_module(
    path: Path,
    tests: list[Path],
    explanations: dict[survivors.Identity, str],
    jobs: int,
    ends_at: float,
) -> Result:
    module = ".".join(path.with_suffix("").parts)
    reaching = reach.reaching(module, tests)
    result = Result(module, mutants_of(path, module))
    if not reaching:
        raise SystemExit(f"expected a test that imports {module}, got none")
    ended = trials(result.made, reaching, jobs=jobs, is_over=lambda: monotonic() > ends_at)
    for mutant, end in ended:
        if end is End.KILLED:
            result.killed.append(mutant)
        elif mutant.identity in explanations:
            result.explained.append(mutant)
        else:
            result.unexplained.append(mutant)
            _point_at(path, mutant)
    return result


def _point_at(path: Path, mutant: Mutant) -> None:
    print(f"  {path}:{mutant.line_number}\n{survivors.as_entry(mutant)}", flush=True)


def _tell(result: Result) -> None:
    counts = (len(result.killed), len(result.explained), len(result.unexplained))
    made, run = len(result.made), result.run_count
    how_many = str(made) if run == made else f"{run} of {made}"
    print(
        f"{result.module:42}{how_many:>9}{counts[0]:>9}{counts[1]:>11}{counts[2]:>13}", flush=True
    )


def _conclude(results: list[Result], explanations: dict[survivors.Identity, str]) -> int:
    sums = Counter[str]()
    for each in results:
        sums["made"] += len(each.made)
        sums["run"] += each.run_count
        sums["killed"] += len(each.killed)
        sums["explained"] += len(each.explained)
        sums["unexplained"] += len(each.unexplained)
    print(
        f"{sums['run']} of {sums['made']} mutants run: {sums['killed']} killed, "
        f"{sums['explained']} explained, {sums['unexplained']} unexplained."
    )
    stale = survivors.outdated(
        explanations,
        made=[mutant for each in results for mutant in each.made],
        killed=[mutant for each in results for mutant in each.killed],
    )
    for identity in stale:
        print(f"survivors.toml explains a mutant that does not survive: {' | '.join(identity)}")
    return 1 if sums["unexplained"] or stale else 0


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of a set must not decide
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutants", *sys.argv[1:]])
    sys.exit(main())
