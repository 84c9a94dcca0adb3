"""Every event that is written to the trail has a sentence."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from operations.protocol.audit_events import SENTENCES, sentence_of
from operations.protocol.transitions import Event

ROOT = Path(__file__).parents[2]
PLACES = ("operations", "reconciliation", "opsconsole")


# Functions that hand an event on, with the place of the word among their arguments.
WRITERS = {"record_change": 1, "append_entry": None, "Entry": None, "record_access": None}
# Ours that take the word from their caller: the file, the function, the argument's place.
HANDERS_ON = {
    ("apply_statement.py", "_tell"): 0,
    ("halt_dispatch.py", "_write_down"): 0,
    ("note_answer.py", "_tell"): 0,
    ("people.py", "_record"): 0,
    ("sign_in_record.py", "_factor"): 0,
}


def written_events() -> Iterator[tuple[str, str]]:
    """(file, event) for each event that a call names, by a literal or by a name of its module."""
    for place in PLACES:
        for path in (ROOT / place).rglob("*.py"):
            tree = ast.parse(path.read_text())
            named = _constants(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    yield from ((path.name, e) for e in _events(node, path.name, named))


def _events(
    call: ast.Call, file: str = "", named: Mapping[str, list[str]] | None = None
) -> Iterator[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    place = WRITERS.get(name, HANDERS_ON.get((file, name)))
    if place is not None and len(call.args) > place:
        yield from _words(call.args[place], named or {})
    if name in WRITERS:
        for keyword in call.keywords:
            if keyword.arg == "event":
                yield from _words(keyword.value, named or {})


def _words(node: ast.expr, named: Mapping[str, list[str]]) -> Iterator[str]:
    """The texts that an expression can be: literals, either side of an if, a module's names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _words(node.body, named)
        yield from _words(node.orelse, named)
    elif isinstance(node, ast.Name):
        yield from named.get(node.id, [])
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        yield from named.get(node.value.id, [])


def _constants(tree: ast.Module) -> dict[str, list[str]]:
    """The texts that each name of a module stands for, those of a mapping together."""
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            found[node.targets[0].id] = [word for value in values for word in _words(value, {})]
    return found


def test_every_event_that_is_written_has_a_sentence():
    written = set(written_events())
    assert len(written) > 45  # the search itself finds them
    assert {(file, event) for file, event in written if event not in SENTENCES} == set()


def test_every_change_of_state_has_a_sentence():
    assert {str(event) for event in Event} <= SENTENCES.keys()


def test_the_search_sees_a_literal_event():
    call = ast.parse('record_change(operation, "planted", actor=actor)').body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert list(_events(call.value)) == ["planted"]


def test_every_sentence_is_of_an_event_that_is_written() -> None:
    written = {event for _, event in written_events()} | {str(event) for event in Event}
    assert SENTENCES.keys() - written == set()


def test_the_search_sees_through_names_and_conditions() -> None:
    tree = ast.parse('A = "one"\nB = {1: "two"}\nrecord_access(event=A if x else B[y])')
    call = tree.body[2]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert list(_events(call.value, named=_constants(tree))) == ["one", "two"]


def test_an_unknown_event_says_so() -> None:
    assert sentence_of("vanish") == "vanish, which this release does not know"
