"""The house rules of style sheets, held by reading the files."""

import re
from pathlib import Path

import pytest

from operations.protocol.states import ApprovalStatus, Grade, LookupResult, Question, Queue, State
from tests.architecture.css_rules import LAYERS, RULES, Rule, palette_name, raw_colour, raw_length
from tests.architecture.css_rules import without_comments as plain

ROOT = Path(__file__).parents[2]
CSS = ROOT / "static/css"
SHEETS = sorted(CSS.rglob("*.css"))
TOKENS = (CSS / "tokens.css").read_text()
STATES = plain((CSS / "states.css").read_text())


def look(selector: str) -> dict[str, str]:
    """The declarations of every rule in states.css that has exactly this selector."""
    bodies = re.findall(rf"(?:^|\}}|\{{)\s*{re.escape(selector)}\s*\{{([^}}]*)\}}", STATES)
    pairs = (part.split(":", 1) for body in bodies for part in body.split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_css_rule_tells_its_samples_apart(rule: Rule) -> None:
    good, bad = RULES[rule]
    assert rule(good) == []
    assert rule(bad) != []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_sheet_keeps_the_rule(rule: Rule) -> None:
    only_elsewhere = rule in (raw_colour, raw_length, palette_name)
    sheets = [s for s in SHEETS if not (only_elsewhere and s.name == "tokens.css")]
    found = {sheet.name: rule(sheet.read_text()) for sheet in sheets}
    assert {name: offences for name, offences in found.items() if offences} == {}


def test_the_first_line_fixes_the_order_of_the_layers() -> None:
    assert f"@layer {', '.join(LAYERS)};" in TOKENS


def test_every_sheet_is_linked_once_in_the_order_of_the_layers() -> None:
    linked = re.findall(r"static 'css/([^']+)'", (ROOT / "templates/frame.html").read_text())
    assert sorted(linked) == sorted(str(sheet.relative_to(CSS)) for sheet in SHEETS)
    assert linked[0] == "tokens.css"
    layers = [re.findall(r"@layer ([a-z]+) \{", (CSS / name).read_text())[0] for name in linked[1:]]
    assert layers == sorted(layers, key=LAYERS.index)


def test_sheets_are_short_and_utilities_few() -> None:
    assert [s.name for s in SHEETS if len(s.read_text().splitlines()) > 250] == []
    assert len(re.findall(r"^  \.[a-z-]+", (CSS / "utilities.css").read_text(), re.M)) <= 15


def test_every_custom_property_that_is_read_is_set_somewhere() -> None:
    text = plain("".join(sheet.read_text() for sheet in SHEETS))
    read, written = (
        set(re.findall(r"var\((--[\w-]+)", text)),
        set(re.findall(r"[;{]\s*(--[\w-]+):", text)),
    )
    assert read - written == set()
    assert written - read == set()


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("queue", Queue),
        ("question", Question),
        ("lookup", LookupResult),
        ("approval", ApprovalStatus),
        ("state", [state for state in State if state is not State.CONFIRMED]),
    ],
)
def test_every_word_has_one_look(attribute: str, words: list[str]) -> None:
    for word in words:
        assert f'[data-{attribute}="{word}"]' in STATES


def test_unknown_is_amber_and_never_red() -> None:
    for selector in ('[data-state="sent_unknown"]', '[data-question="unknown_outcome"]'):
        assert look(selector)["--tone"] == "var(--state-unknown)"
    for role in ("--state-unknown", "--state-unknown-fill", "--warning"):
        name = re.search(rf"{role}: var\((--[\w-]+)\);", TOKENS)
        assert name is not None
        value = re.search(rf"{name.group(1)}: light-dark\((.+)\);", TOKENS)
        assert value is not None
        hues = [float(hue) for hue in re.findall(r"oklch\(\S+ \S+ ([\d.]+)\)", value.group(1))]
        assert len(hues) == 2
        assert all(55 <= hue <= 95 for hue in hues)


def test_the_three_ways_of_being_confirmed_differ_in_colour_and_in_shape() -> None:
    tones, shapes = set(), set()
    for grade in Grade:
        tones.add(look(f'[data-state="confirmed"][data-grade="{grade}"]')["--tone"])
        badge = look(f'.badge[data-state="confirmed"][data-grade="{grade}"]')
        shapes.add((badge["background"], badge.get("border-style"), badge.get("border", "")[:24]))
    assert len(tones) == len(shapes) == len(Grade)
