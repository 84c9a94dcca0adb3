"""Rules for Python files, as functions over text, so that each can be tested on samples."""

import ast
from collections.abc import Iterator

LONGEST_FILE = 300
BANNED = frozenset(
    [
        "utils",
        "helpers",
        "common",
        "misc",
        "manager",
        "service",
        "handler",
        "process",
        "data",
        "info",
        "obj",
    ]
)


def too_long(text: str) -> bool:
    """Whether a file has more lines than one can hold in the head."""
    return len(text.splitlines()) > LONGEST_FILE


def state_writers(text: str) -> list[int]:
    """Lines that assign `.state`, also in a tuple or through .update(state=…)."""
    return sorted(set(_state_writers(ast.parse(text))))


def _state_writers(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Attribute) and part.attr == "state":
                        yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_update = node.func.attr in ("update", "bulk_update")
            if is_update and any(keyword.arg == "state" for keyword in node.keywords):
                yield node.lineno


def positional_actions(text: str) -> list[str]:
    """Public functions with positional parameters: an action takes named arguments only."""
    tree = ast.parse(text)
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and "operation_id" in {a.arg for a in node.args.args}
    ]
