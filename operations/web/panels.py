"""The choices of the operation page: open ones with their form, closed ones with their reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from operations.protocol.choices import Choice
from operations.protocol.refusals import Refusal
from operations.protocol.states import ChoiceCode, Question, State
from operations.queries.dossier import Dossier
from operations.roles import ALLOWED, Ability
from operations.templatetags.looks import QUESTIONS
from operations.web.forms.decision import DecisionForm
from operations.web.places import Place, form_at
from operations.web.promises import promise_of

# What answers a question comes first, what only helps comes last.
ORDER = (
    ChoiceCode.SETTLE_REVIEW,
    ChoiceCode.LOOK_UP,
    ChoiceCode.ATTEST,
    ChoiceCode.NOT_EXECUTED,
    ChoiceCode.RELEASE,
    ChoiceCode.CLOSE_ATTEMPT,
    ChoiceCode.SET_ASIDE,
    ChoiceCode.SUPERSEDE,
    ChoiceCode.COMPENSATE,
    ChoiceCode.CANCEL,
    ChoiceCode.TAKE,
    ChoiceCode.HAND_BACK,
    ChoiceCode.NOTE,
)
# The record's own words, as they stand in the protocol's sentences.
_CODED = re.compile(
    r"\b("
    + "|".join(word for words in (State, Question, ChoiceCode) for word in words if "_" in word)
    + r")\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A form that was sent and not carried out, as it comes back: its mistakes, or a refusal."""

    place: Place
    form: DecisionForm
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One choice; `form` is None where it is closed. `verb` replaces the choice's own words."""

    choice: Choice
    verb: str = ""
    place: Place
    url: str = ""
    form: DecisionForm | None = None
    does: Sequence[str] = ()
    does_not: Sequence[str] = ()
    button: str = ""
    weight: str = ""
    is_unfolded: bool = False
    refusal: Refusal | None = None
    shortcut: str = ""


def panels_of(
    dossier: Dossier, abilities: frozenset[Ability], submitted: Submitted | None
) -> tuple[list[Panel], list[Panel]]:
    """The open choices and the closed ones. Who may not decide gets no form at all.

    A form that came back stays open with what was typed, even if its choice is closed by now.
    """
    found = [
        panel
        for choice in sorted(dossier.choices, key=lambda choice: ORDER.index(choice.code))
        if choice.code is not ChoiceCode.NOTE and not _says_nothing(choice)
        for panel in _panels(choice, dossier, abilities, submitted)
    ]
    open_ones = [panel for panel in found if panel.form is not None]
    closed = [panel for panel in found if panel.form is None]
    return open_ones, sorted(closed, key=_how_closed)


def note_panel(
    dossier: Dossier, abilities: frozenset[Ability], submitted: Submitted | None
) -> Panel | None:
    """The note's form, for those who may leave one."""
    choice = next(row for row in dossier.choices if row.code is ChoiceCode.NOTE)
    panel = _panel(choice, Place(ChoiceCode.NOTE), dossier, abilities, submitted)
    return panel if panel.form is not None else None


def _how_closed(panel: Panel) -> tuple[bool, bool]:
    """First what the clock opens, then what a person can change, last what the state rules out."""
    return panel.choice.opens_at is None, panel.choice.closed_code in ("wrong_state", "no_attempt")


def _says_nothing(choice: Choice) -> bool:
    """Handing back what nobody holds is no choice that one could wait for."""
    return choice.code is ChoiceCode.HAND_BACK and choice.closed_code == "wrong_state"


def _panels(
    choice: Choice,
    dossier: Dossier,
    abilities: frozenset[Ability],
    submitted: Submitted | None,
) -> list[Panel]:
    """One panel, but one for each open review that has exits."""
    if choice.code is not ChoiceCode.SETTLE_REVIEW or not choice.is_open:
        return [_panel(choice, Place(choice.code), dossier, abilities, submitted)]
    return [
        replace(
            _panel(choice, Place(choice.code, review.pk), dossier, abilities, submitted),
            verb=f"Settle: {QUESTIONS[Question(review.question)].word.lower()}",
        )
        for review in dossier.reviews
        if review.question != Question.UNKNOWN_OUTCOME
    ]


def _panel(
    choice: Choice,
    place: Place,
    dossier: Dossier,
    abilities: frozenset[Ability],
    submitted: Submitted | None,
) -> Panel:
    promise = promise_of(choice.code, dossier.facts.state)
    choice = replace(choice, sentence=_plain(choice.sentence), remedy=_plain(choice.remedy))
    sent = submitted if submitted and submitted.place == place else None
    if promise.ability not in abilities:
        return Panel(choice=_not_yours(choice, promise.ability), place=place)
    if not choice.is_open and sent is None:
        return Panel(choice=choice, place=place)
    ids = [dossier.operation.pk, place.pk] if place.pk else [dossier.operation.pk]
    return Panel(
        choice=replace(choice, is_open=True),
        place=place,
        url=reverse(promise.url_name, args=ids),
        form=sent.form if sent else form_at(place, dossier),
        does=promise.does,
        does_not=promise.does_not,
        button=promise.button,
        weight=promise.weight,
        is_unfolded=sent is not None,
        refusal=sent.refusal if sent else None,
        shortcut=promise.shortcut,
    )


def _not_yours(choice: Choice, ability: Ability) -> Choice:
    """An open choice as those see it whose role does not allow it."""
    if not choice.is_open:
        return choice
    roles = " or ".join(sorted(ALLOWED[ability]))
    return replace(
        choice,
        is_open=False,
        remedy=f"It takes the role {roles}.",
        closed_code="not_permitted",
    )


def _plain(sentence: str) -> str:
    """A sentence of the protocol with `sent_unknown` and its like as people write them."""
    return _CODED.sub(lambda word: word[0].replace("_", " "), sentence)
