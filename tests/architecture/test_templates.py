"""The house rules of templates and scripts, held by reading the files."""

import re
from pathlib import Path

import pytest
from django.template import engines

from tests.architecture.template_rules import RULES, TAG, Rule

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))
SHEETS = sorted((ROOT / "static/css").rglob("*.css"))
SPRITE = (ROOT / "static/icons.svg").read_text()
# Included in the middle of a sentence: a newline at the end would be a space before the comma.
INLINE = ("time", "age", "clock_time", "amount", "key", "digest", "environment", "money_sums")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def texts() -> dict[str, str]:
    return {name_of(path): path.read_text() for path in TEMPLATES}


def page_with_its_parts(name: str, text: str) -> str:
    """A page together with what it includes: a part may target a region of its page."""
    for included in re.findall(r'\{% include "([^"]+)"', text):
        text += page_with_its_parts(included, (ROOT / "templates" / included).read_text())
    return text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_template_rule_tells_its_samples_apart(rule: Rule) -> None:
    good, bad = RULES[rule]
    assert rule(good) == []
    assert rule(bad) != []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_template_keeps_the_rule(rule: Rule) -> None:
    whole = {
        name: page_with_its_parts(name, text)
        for name, text in texts().items()
        if '{% extends "base.html" %}' in text
    }
    subjects = whole if rule.__name__ == "targets_no_region" else texts()
    assert {name: found for name, text in subjects.items() if (found := rule(text))} == {}


def test_every_template_compiles() -> None:
    engine = engines["django"]
    for path in TEMPLATES:
        engine.get_template(str(path.relative_to(ROOT / "templates")))


def test_templates_and_scripts_are_short() -> None:
    limits = [(path, 150) for path in TEMPLATES] + [(path, 60) for path in SCRIPTS]
    long = [name_of(p) for p, limit in limits if len(p.read_text().splitlines()) > limit]
    assert long == []


def test_what_stands_inside_a_sentence_ends_without_a_newline() -> None:
    names = [path for path in TEMPLATES if path.stem in INLINE or path.stem.endswith("_badge")]
    assert len(names) > len(INLINE)
    assert [name_of(path) for path in names if path.read_text().endswith("\n")] == []


def test_every_icon_is_in_the_sprite() -> None:
    drawn = set(re.findall(r'<symbol id="([a-z-]+)"', SPRITE))
    for name, text in texts().items():
        literal = re.findall(r'\{% icon "([a-z-]+)"', text) + re.findall(r'icon="([a-z-]+)"', text)
        assert set(literal) <= drawn, name


def test_every_component_is_used() -> None:
    used = {
        included
        for text in texts().values()
        for included in re.findall(r'\{% include "(components/[^"]+)"', text)
    }
    there = {f"components/{path.name}" for path in (ROOT / "templates/components").glob("*.html")}
    assert there == used


def test_classes_of_templates_and_sheets_are_the_same() -> None:
    styled = {
        name
        for sheet in SHEETS
        for name in re.findall(
            r"\.(-?[a-z][a-z_-]*)", re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S)
        )
        if name not in {"htmx-request", "css"}
    }
    written = set()
    for text in texts().values():
        for value in re.findall(r'\bclass="((?:\{[%{].*?[%}]\}|[^"])*)"', text):
            written |= set(re.sub(TAG, " ", value).split())
    stems = {name for name in written if name.endswith("--")}  # badge--{{ size }}
    unstyled = {name for name in written - stems - styled if not name.startswith("icon--")}
    unwritten = {
        name
        for name in styled - written
        if not any(name.startswith(stem) for stem in stems) and not name.startswith("icon")
    }
    assert sorted(unstyled) == []
    assert sorted(unwritten) == []
