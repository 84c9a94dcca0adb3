"""Which tests can notice a mutant: those that import its module, directly or through others."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path


def reaching(module: str, tests: Iterable[Path]) -> list[str]:
    """The mirrored test file, which should be the one to notice; then the others."""
    mirrored = f"test_{module.rpartition('.')[2]}.py"
    found = [path for path in tests if module in reached(path)]
    return [str(path) for path in sorted(found, key=lambda path: (path.name != mirrored, path))]


@cache
def reached(path: Path) -> frozenset[str]:
    """Every module of the project's that importing this file imports."""
    found: set[str] = set()
    waiting = [path]
    while waiting:
        for name in _imported_by(waiting.pop()) - found:
            found.add(name)
            waiting += [file for file in _files_of(name) if file.exists()]
    return frozenset(found)


@cache
def _imported_by(path: Path) -> frozenset[str]:
    package = path.with_suffix("").parts[:-1]
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*up, *filter(None, [node.module])))
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return frozenset(names)


def _files_of(name: str) -> tuple[Path, Path]:
    place = Path(*name.split("."))
    return place.with_suffix(".py"), place / "__init__.py"
