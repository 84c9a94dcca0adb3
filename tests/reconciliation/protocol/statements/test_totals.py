"""The totals of a pass, in words and as lines of text."""

from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import Purpose
from reconciliation.protocol.statements.profile import SANDBOX, form_digest
from reconciliation.protocol.statements.totals import WORDS, told, totals_table
from tests.reconciliation.protocol.statements.forms import a_csv_profile


def test_every_outcome_has_its_words():
    assert set(WORDS) == set(Outcome)
    names = [words.name for words in WORDS.values()]
    assert len(set(names)) == len(names)


def test_a_dry_run_says_what_would_be_and_an_application_what_was():
    counts = {"unmatched": 2, "confirms": 1, "known": 0}
    would = told(Purpose.REHEARSE, counts)
    assert [(each.outcome, each.row_count, each.means) for each in would] == [
        (Outcome.CONFIRMS, 1, "would confirm its operation"),
        (Outcome.UNMATCHED, 2, "would be kept as an unmatched receipt"),
    ]
    did = told(Purpose.APPLY, counts)
    assert [each.means for each in did] == [
        "confirmed its operation",
        "kept as an unmatched receipt",
    ]


def test_the_table_ends_with_the_sum():
    lines = totals_table(told(Purpose.APPLY, {"confirms": 1200, "known": 3}), 1203)
    assert lines == [
        "Exact match          1,200  confirmed its operation",
        "Known already            3  changed nothing",
        "Rows                 1,203",
    ]


def test_an_empty_file_has_a_sum_too():
    assert totals_table([], 0) == ["Rows            0"]


def test_a_profile_is_the_same_form_until_anything_of_it_changes():
    assert form_digest(SANDBOX) == form_digest(SANDBOX)
    assert form_digest(a_csv_profile()) != form_digest(a_csv_profile(delimiter=","))
    assert len(form_digest(SANDBOX)) == 64
