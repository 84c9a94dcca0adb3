"""The client's exact JSON, and what the client may import."""

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

from opsconsole.client import dumps, loads


def test_it_needs_neither_django_nor_the_apps() -> None:
    code = (
        "import sys, opsconsole.client;"
        "print([m for m in sys.modules if m.split('.')[0] in"
        " ('django', 'celery', 'psycopg', 'ninja', 'operations', 'reconciliation')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.stdout.strip(), ended.stderr) == ("[]", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, True, None, "\u20ac"]}, '{"a":[1,true,null,"\u20ac"]}'),
        (Decimal("1.10"), "1.10"),
        (Decimal("1E+3"), "1E+3"),
        (0.1, "0.1"),
        (12345678901234567890, "12345678901234567890"),
        ({}, "{}"),
        ((), "[]"),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_values_are_written_exactly(value: Any, text: str) -> None:
    assert dumps(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN")])
def test_what_is_no_number_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match="finite"):
        dumps(value)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": b"x"}])
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError, match="expected"):
        dumps(value)


def test_a_number_is_a_float_only_where_nothing_is_lost() -> None:
    value = loads('{"a":0.5,"b":0.1000000000000000055,"c":1e400,"d":7}')
    assert value == {
        "a": 0.5,
        "b": Decimal("0.1000000000000000055"),
        "c": Decimal("1e400"),
        "d": 7,
    }
