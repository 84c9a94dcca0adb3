"""The planting of faults itself: which are made, and that a hole in the tests is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import survivors
from tests.mutants.making import Mutant, mutants_of
from tests.mutants.reach import reached

ROOT = Path(__file__).parents[2]
PLANTED = ["operations/protocol", "tests/operations/protocol", "tests/mutants"]
PACKAGES = ["operations", "tests", "tests/operations"]


def made_from(source: str, tmp_path: Path) -> dict[tuple[str, str], Mutant]:
    path = tmp_path / "module.py"
    path.write_text(source)
    return {(each.where, each.becomes): each for each in mutants_of(path, "module")}


def test_conditions_limits_and_tables_are_mutated_also_outside_functions(tmp_path: Path) -> None:
    made = made_from("TABLE = {1, 2}\n\ndef f(a):\n    if a < 3:\n        return TABLE\n", tmp_path)
    assert ("TABLE", "TABLE = {2, }") in made
    assert {becomes for where, becomes in made if where == "f"} == {
        "if a < 2:", "if a < 4:", "if a<= 3:", "if True:", "if False:",
    }  # fmt: skip
    assert {where for where, _ in made if not made[where, _].is_in_function} == {"TABLE"}


def test_a_property_is_mutated_and_a_sentence_is_not(tmp_path: Path) -> None:
    source = 'class A:\n    @property\n    def b(self):\n        return not self.c, "one word"\n'
    made = made_from(source, tmp_path)
    assert ("A.b", 'return self.c, "one word"') in made
    assert not [becomes for _, becomes in made if "XX" in becomes]


def test_the_words_of_an_enumeration_are_left_to_the_database(tmp_path: Path) -> None:
    assert made_from('class A(StrEnum):\n    B = "b"\n', tmp_path) == {}


def test_a_mutant_is_known_by_its_line_and_not_by_its_number(tmp_path: Path) -> None:
    source = "A = 1\n"
    first = {each.identity for each in made_from(source, tmp_path).values()}
    moved = {each.identity for each in made_from(f"\n\n{source}", tmp_path).values()}
    assert first == moved


def test_a_test_reaches_what_it_imports_through_others() -> None:
    found = reached(Path("tests/operations/protocol/test_choices.py"))
    assert {"operations.protocol.choices", "operations.protocol.claims"} <= found
    assert "operations.protocol.settlement" not in found


def test_every_explanation_has_a_reason() -> None:
    assert all(survivors.explained().values())


def test_an_explanation_of_what_is_killed_or_gone_is_outdated() -> None:
    mutant = Mutant("m", "f", "a", "b", 1, True, "")
    kept, gone = mutant.identity, ("m", "f", "a", "c")
    elsewhere = ("n", "f", "a", "c")
    explained = [kept, gone, elsewhere]
    assert survivors.outdated(explained, made=[mutant], killed=[]) == [gone]
    assert survivors.outdated(explained, made=[mutant], killed=[mutant]) == [kept, gone]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for place in PLANTED:
        shutil.copytree(ROOT / place, tmp_path / place, ignore=shutil.ignore_patterns("*cache*"))
    for package in PACKAGES:
        (tmp_path / package / "__init__.py").touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_a_hole_in_the_tests_is_shown_and_ends_with_1(copy: Path) -> None:
    for path in (copy / "tests/operations/protocol").glob("test_*.py"):
        path.unlink()
    hole = (
        "from operations.protocol.claims import is_live\n\n"
        "def test_it():\n    assert is_live(None, None) is False\n"
    )
    (copy / "tests/operations/protocol/test_claims.py").write_text(hole)
    command = [sys.executable, "-m", "tests.mutants", "claims"]
    ended = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=100)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "5 of 5 mutants run: 3 killed, 0 explained, 2 unexplained." in ended.stdout
    assert "operations/protocol/claims.py:8\n  { where = 'is_live', line = " in ended.stdout
