"""What the head of an operation's page is read from, and in which order."""

import pytest

from operations.queries import head
from tests.build import a_claim, an_operation

pytestmark = pytest.mark.django_db


def test_a_mark_is_never_newer_than_what_it_marks(monkeypatch) -> None:
    operation, facts_of = an_operation(), head.facts_of

    def facts_before_a_claim(*given: object, **named: object) -> object:
        found = facts_of(*given, **named)
        a_claim(operation)  # writes an entry, and no version
        return found

    monkeypatch.setattr(head, "facts_of", facts_before_a_claim)
    shown = head.head_of(operation.pk, viewer="")
    monkeypatch.undo()
    assert shown.facts.machine_claim_purpose is None
    assert head.head_of(operation.pk, viewer="").mark != shown.mark, "it would not be read again"
