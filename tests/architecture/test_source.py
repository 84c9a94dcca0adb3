"""The shape of the source: small files, one writer of states, named arguments, honest documents."""

import re
from pathlib import Path

from tests.architecture.source_rules import (
    BANNED,
    positional_actions,
    state_writers,
    too_long,
)

ROOT = Path(__file__).parents[2]
APPS = ("opsconsole", "operations", "reconciliation")
# The only places that give an operation a state: the table's one writer, and its birth.
WRITERS = {
    "operations/actions/apply_event.py",
    "operations/actions/register_operation.py",
    "operations/protocol/transitions.py",  # an exception that remembers which state it was
}


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_is_longer_than_300_lines():
    long = [name(path) for path in sources(*APPS, "tests") if too_long(path.read_text())]
    assert long == []


def test_the_rule_about_length_sees_a_long_file():
    assert too_long("x = 1\n" * 301)
    assert not too_long("x = 1\n" * 300)


def test_only_one_place_writes_states():
    writers = {
        name(path): lines
        for path in sources(*APPS)
        if (lines := state_writers(path.read_text())) and name(path) not in WRITERS
    }
    assert writers == {}


def test_the_rule_about_states_sees_every_way_to_write_one():
    bad = [
        "operation.state = 'ready'",
        "before, operation.state = 1, 2",
        "rows.update(state='ready')",
        "operation.state: str = 'ready'",
    ]
    assert [state_writers(line) for line in bad] == [[1]] * len(bad)
    assert state_writers("state = operation.state\nrows.filter(state='ready')") == []


def test_actions_take_named_arguments():
    found = {
        name(path): found
        for path in sources("operations/actions", "reconciliation/actions")
        if (found := positional_actions(path.read_text()))
        and name(path) != "operations/actions/apply_event.py"
    }
    assert found == {}


def test_no_file_has_a_name_that_says_nothing():
    named = [name(path) for path in sources(*APPS) if BANNED & set(path.stem.split("_"))]
    assert named == ["reconciliation/sandbox/process.py"]  # a process is what it is


def test_every_variable_that_is_read_stands_in_the_readme():
    read = set()
    for path in [*sources("opsconsole"), ROOT / "tests" / "chromium.py"]:
        text = path.read_text()
        read |= set(re.findall(r'\benv\.\w+\(\s*"([A-Z_]+)"', text))
        read |= set(re.findall(r'os\.environ\.get\("([A-Z_]+)"\)', text))
    rows = re.findall(r"^\| (`[A-Z_]+`.*?) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    table = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}
    assert table == read - {"PLAYWRIGHT_BROWSERS_PATH"}  # Playwright's own


def test_every_decision_record_is_listed_and_short():
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text()
    records = sorted(folder.glob("[0-9]*.md"))
    assert records
    assert [path.name for path in records if path.name not in index] == []
    assert [path.name for path in records if len(path.read_text().splitlines()) > 40] == []


def test_every_link_in_the_documents_leads_somewhere():
    broken = []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{name(page)}: {target}")
    assert broken == []
