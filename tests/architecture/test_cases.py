"""Every case from the field that this project promises has a test that names it, and is listed."""

from tests.architecture.cases import CASES, PAGE, files_of_tests, page, shown_by

SAMPLE = '''
def test_a_fact():
    """Case 7: it holds."""

def test_two_facts():
    """Case 8: it holds.

    Case 9: so does this.
    """

def test_another():
    """As in case 10: no number of ours."""

def a_builder():
    """Case 11: this is no test."""
'''


def test_every_promised_case_is_shown_by_a_test() -> None:
    assert sorted(set(CASES) - set(shown_by(files_of_tests()))) == []


def test_the_page_of_cases_is_made_from_them() -> None:
    assert PAGE.read_text() == page(), "python -m tests.architecture.cases writes it anew"


def test_a_docstring_names_its_cases_at_the_beginning_of_a_line() -> None:
    assert shown_by({"test_x.py": SAMPLE}) == {
        7: ["test_x.py::test_a_fact"],
        8: ["test_x.py::test_two_facts"],
        9: ["test_x.py::test_two_facts"],
    }
