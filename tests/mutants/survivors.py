"""The survivors that are explained: mutants that no test can tell from the original, and why."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.making import Mutant

FILE = Path(__file__).parent / "survivors.toml"

type Identity = tuple[str, str, str, str]


def explained() -> dict[Identity, str]:
    """Each explained mutant with its reason. Raises ValueError for an entry without one."""
    kept: dict[Identity, str] = {}
    for module, entries in tomllib.loads(FILE.read_text()).items():
        for entry in entries:
            identity = (module, entry["where"], entry["line"], entry["becomes"])
            if not entry["why"].strip():
                raise ValueError(f"{FILE.name}: expected a reason for {identity}, got none")
            kept[identity] = entry["why"]
    return kept


def outdated(
    explanations: Iterable[Identity], *, made: Iterable[Mutant], killed: Iterable[Mutant]
) -> list[Identity]:
    """Explanations for a mutant that is no longer made, or that a test kills now."""
    made_here = {mutant.identity for mutant in made}
    modules = {identity[0] for identity in made_here}
    killed_here = {mutant.identity for mutant in killed}
    return [
        each
        for each in explanations
        if each[0] in modules and (each not in made_here or each in killed_here)
    ]


def as_entry(mutant: Mutant) -> str:
    """A line for the file, its reason still to be written."""
    parts = {"where": mutant.where, "line": mutant.line, "becomes": mutant.becomes, "why": ""}
    inner = ", ".join(f"{name} = {_quoted(value)}" for name, value in parts.items())
    return f"  {{ {inner} }},"


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
