"""Pages while the database is away or a row stays locked: 503, nothing half written."""

from collections.abc import Callable

import psycopg
import pytest

from tests.browsing import Browser, text_of
from tests.build import an_operation
from tests.operations.api.test_unavailable import database_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

CANCEL = {"reason": "asked twice"}


def test_pages_say_that_the_record_can_not_be_reached() -> None:
    operation, operator = an_operation(), Browser.of("operator")
    shown = operator.open(operation)
    with database_away():
        answers = [
            operator.get("/"),
            operator.get("/operations/"),
            operator.open(operation),
            operator.send(shown, "cancellation", **CANCEL),
        ]
    for answer in answers:
        assert answer.status_code == 503
        assert int(answer["Retry-After"]) >= 1
        assert "Nothing was recorded by this request as far as is known" in text_of(answer)
    operation.refresh_from_db()
    assert operation.state == "ready"
    assert operator.send(shown, "cancellation", **CANCEL).status_code == 303


def test_a_decision_about_a_row_that_stays_locked_is_not_taken(
    connect_as: Callable[[str], psycopg.Connection],
) -> None:
    operation, operator = an_operation(), Browser.of("operator")
    shown = operator.open(operation)
    holder = connect_as("runtime")
    holder.execute("SELECT 1 FROM operations_operation FOR UPDATE")
    assert operator.send(shown, "cancellation", **CANCEL).status_code == 503
    holder.rollback()
    operation.refresh_from_db()
    assert operation.state == "ready"
