"""Every event that is written to the trail has a sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

from operations.protocol.audit_events import SENTENCES
from operations.protocol.transitions import Event

ROOT = Path(__file__).parents[2]
PLACES = ("operations", "reconciliation", "opsconsole")


def written_events() -> Iterator[tuple[str, str]]:
    """(file, event) for each event that a call names by a literal."""
    for place in PLACES:
        for path in (ROOT / place).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    yield from ((path.name, event) for event in _events(node))


def _events(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name == "record_change" and len(call.args) > 1:
        yield from _literal(call.args[1])
    if name == "append_entry":
        for keyword in call.keywords:
            if keyword.arg == "event":
                yield from _literal(keyword.value)


def _literal(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_every_event_that_is_written_has_a_sentence():
    written = set(written_events())
    assert len(written) > 25  # the search itself finds them
    assert {(file, event) for file, event in written if event not in SENTENCES} == set()


def test_every_change_of_state_has_a_sentence():
    assert {str(event) for event in Event} <= SENTENCES.keys()


def test_the_search_sees_a_literal_event():
    call = ast.parse('record_change(operation, "planted", actor=actor)').body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert list(_events(call.value)) == ["planted"]
