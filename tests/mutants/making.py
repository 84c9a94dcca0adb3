"""All mutants of a module: its source with one small fault each."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from tests.mutants.operators import changes_of

# Types say nothing at run time, and what a decorator or an import breaks no module survives.
SKIPPED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.TypeAlias)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault. `where` is the function or table that holds it; `line` became `becomes`.

    `is_in_function`: in the body of a function or method, so that nothing was made from it while
    the module was imported.
    """

    module: str
    where: str
    line: str
    becomes: str
    line_number: int
    is_in_function: bool
    source: str

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What a mutant is known by, however the lines around it move."""
        return self.module, self.where, self.line, self.becomes


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Every mutant of the file, in reading order; no two are the same."""
    source = path.read_text()
    wrapper = MetadataWrapper(cst.parse_module(source))
    collector = _Collector()
    wrapper.visit(collector)
    found: dict[str, Mutant] = {}
    for where, is_in_function, start, end, code in collector.changes:
        raw = source.encode()
        mutated = (raw[:start] + code.encode() + raw[end:]).decode()
        if _is_other(source, mutated) and mutated not in found:
            line_number = raw[:start].count(b"\n") + 1
            line, becomes = _changed_lines(source, mutated)
            found[mutated] = Mutant(
                module, where, line, becomes, line_number, is_in_function, mutated
            )
    return list(found.values())


class _Collector(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ByteSpanPositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[str, bool, int, int, str]] = []
        self._depth = 0  # of function bodies
        self._scopes: list[str] = []
        self._words = cst.Module(body=[])

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, SKIPPED) or _is_contract(node):
            return False
        self._scopes += _scope_of(node)
        self._depth += _is_body(node)
        if not _is_prose(node):
            for old, new in changes_of(node):
                span = self.get_metadata(ByteSpanPositionProvider, old)
                code = self._words.code_for_node(new).strip()
                where = ".".join(self._scopes)
                end = span.start + span.length
                self.changes.append((where, self._depth > 0, span.start, end, code))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if not (isinstance(original_node, SKIPPED) or _is_contract(original_node)):
            del self._scopes[len(self._scopes) - len(_scope_of(original_node)) :]
            self._depth -= _is_body(original_node)


def _scope_of(node: cst.CSTNode) -> list[str]:
    """The name of a function, a class or what is assigned to."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return [node.name.value]
    if isinstance(node, cst.AnnAssign):
        return [cst.Module([]).code_for_node(node.target)]
    if isinstance(node, cst.Assign):
        return [cst.Module([]).code_for_node(node.targets[0].target)]
    return []


def _is_body(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.FunctionDef)


def _is_prose(node: cst.CSTNode) -> bool:
    """A sentence. A changed word in it is no fault of the protocol, and a test that finds it would
    only repeat the sentence. What a sentence tells (times, names, numbers) is mutated."""
    return isinstance(node, cst.SimpleString) and " " in node.raw_value


def _is_contract(node: cst.CSTNode) -> bool:
    """The members of a StrEnum, and a module's list of names. A changed one breaks the database's
    constraints (`makemigrations --check`), or an import, long before a test runs."""
    if isinstance(node, cst.ClassDef):
        names = {base.value.value for base in node.bases if isinstance(base.value, cst.Name)}
        return "StrEnum" in names
    targets = node.targets if isinstance(node, cst.Assign) else ()
    return any(getattr(each.target, "value", None) == "__all__" for each in targets)


def _is_other(source: str, mutated: str) -> bool:
    """Whether the mutant is Python, and another program than the original."""
    try:
        return ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def _changed_lines(source: str, mutated: str) -> tuple[str, str]:
    before, after = source.splitlines(), mutated.splitlines()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return _one_line(before), _one_line(after)


def _one_line(lines: list[str]) -> str:
    return re.sub(r"\s+", " ", " ".join(lines)).strip()
