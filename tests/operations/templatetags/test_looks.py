"""Each word of the record has exactly one look."""

import re
from pathlib import Path

import pytest

from operations.protocol.states import (
    ApprovalStatus,
    ChoiceCode,
    Grade,
    LookupResult,
    Question,
    Queue,
    State,
    Verdict,
)
from operations.templatetags import looks

MAPS = [
    (looks.STATES, set(State)),
    (looks.GRADES, set(Grade)),
    (looks.CONFIRMING, set(Grade)),
    (looks.QUEUES, set(Queue)),
    (looks.QUESTIONS, set(Question)),
    (looks.LOOKUP_RESULTS, set(LookupResult)),
    (looks.APPROVAL_STATUSES, set(ApprovalStatus)),
    (looks.CHOICES, set(ChoiceCode)),
    (looks.VERDICTS, set(Verdict) - {Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED}),
]


@pytest.mark.parametrize(("mapping", "words"), MAPS)
def test_a_map_of_looks_is_complete_and_its_words_and_icons_exist(mapping, words) -> None:
    sprite = (Path(__file__).parents[3] / "static/icons.svg").read_text()
    drawn = set(re.findall(r'<symbol id="([a-z-]+)"', sprite))
    assert set(mapping) == words
    assert len({look.word for look in mapping.values()}) == len(words)
    assert {look.icon for look in mapping.values()} <= drawn


def test_the_three_grades_share_neither_word_nor_icon() -> None:
    seen = [looks.state_look("confirmed", grade) for grade in Grade]
    assert len({look.word for look in seen}) == len({look.icon for look in seen}) == 3


@pytest.mark.parametrize("grade", [None, "", "probably"])
def test_a_confirmation_without_its_grade_is_an_error(grade) -> None:
    with pytest.raises(ValueError, match="is not a valid Grade"):
        looks.state_look("confirmed", grade)


def test_an_unknown_state_is_an_error() -> None:
    with pytest.raises(ValueError, match="is not a valid State"):
        looks.state_look("fine", None)


def test_what_a_person_entered_never_looks_like_what_the_receiver_said() -> None:
    entered = looks.verdict_look("confirmed", "attested")
    received = looks.verdict_look("confirmed", "receipt")
    assert entered.word != received.word
    assert entered.icon != received.icon
