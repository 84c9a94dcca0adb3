"""What stands beside an entry's hashed body can't say another thing unnoticed."""

from typing import Any

import pytest

from operations.protocol import audit_entries
from operations.protocol.audit_entries import (
    LONGEST,
    TOLD,
    Words,
    body_of,
    columns_fault,
    is_erased,
    words_fault,
)
from operations.protocol.chain import salted

SALT = b"0123456789abcdef"
WORDS = Words(salt=SALT, actor_name="ines", reason="Asked them.")
SAID: dict[str, Any] = {
    **{name: f"the {name}" for name in TOLD},
    "actor_kind": "person",
    "actor_name": salted(SALT, "ines"),
    "reason": salted(SALT, "Asked them."),
}
SYSTEM: dict[str, Any] = {**SAID, "actor_kind": "system", "actor_name": None, "reason": None}


def test_columns_that_repeat_the_body_are_no_fault() -> None:
    assert columns_fault(SAID, {name: SAID[name] for name in TOLD}) is None


@pytest.mark.parametrize("name", TOLD)
def test_a_column_that_was_changed_behind_the_body_is_told(name: str) -> None:
    told = {each: SAID[each] for each in TOLD} | {name: 7}
    as_hashed = "person" if name == "actor_kind" else f"the {name}"
    assert columns_fault(SAID, told) == f'expected {name} "{as_hashed}", as hashed, got 7'


@pytest.mark.parametrize("name", TOLD)
def test_a_body_that_leaves_out_what_a_column_says_is_told(name: str) -> None:
    said = {each: value for each, value in SAID.items() if each != name}
    told = {each: SAID[each] for each in TOLD}
    assert (
        columns_fault(said, told) == f"expected a body that says its {name}, got one that does not"
    )


def test_columns_repeat_who_did_what_when_and_to_what_effect() -> None:
    assert TOLD == (
        "stream", "at", "actor_kind", "actor_id", "event", "state_before", "state_after",
        "version", "generation", "token", "cause", "detail", "request_id",
    )  # fmt: skip


@pytest.mark.parametrize("raw", [b"", b"[]", b"no JSON", b'{"a":1,"a":2}', b"\xff"])
def test_a_body_that_is_no_object_says_nothing(raw: bytes) -> None:
    assert body_of(raw) == {}


def test_a_body_is_read_however_long_its_detail() -> None:
    assert LONGEST == 67_108_864
    detail = "x" * 2 * 1024**2
    assert body_of(memoryview(f'{{"detail":"{detail}"}}'.encode())) == {"detail": detail}


def test_a_body_that_is_too_long_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_entries, "LONGEST", 7)
    assert body_of(b'{"a":1}') == {"a": 1}
    assert body_of(b'{"a":12}') == {}


def test_words_that_their_digests_prove_are_no_fault() -> None:
    assert words_fault(SAID, WORDS) is None
    assert words_fault(SYSTEM, None) is None


@pytest.mark.parametrize("name", ["actor_name", "reason"])
def test_other_words_than_were_hashed_are_told(name: str) -> None:
    other = Words(**{"salt": SALT, "actor_name": "ines", "reason": "Asked them.", name: "another"})
    fault = f"expected the {name} that its digest was made from, got other words"
    assert words_fault(SAID, other) == fault
    assert words_fault({**SAID, name: None}, WORDS) == fault
    assert words_fault({each: SAID[each] for each in SAID if each != name}, WORDS) == fault


@pytest.mark.parametrize("said", [{**SAID, "reason": None}, {**SYSTEM, "reason": "a digest"}])
def test_words_that_are_missing_without_an_erasure_are_told(said: dict[str, Any]) -> None:
    assert words_fault(said, None) == (
        "expected the words of this entry, or their erasure on record, got neither"
    )


@pytest.mark.parametrize(
    ("words", "erased"),
    [
        (None, False),
        (WORDS, False),
        (Words(salt=SALT, actor_name="", reason=""), True),
        (Words(salt=SALT, actor_name="", reason="Asked them."), True),
        (Words(salt=SALT, actor_name="ines", reason=""), True),
    ],
)
def test_erased_words_are_no_fault_and_are_seen(*, words: Words | None, erased: bool) -> None:
    assert is_erased(SAID, words) is erased
    assert words is None or words_fault(SAID, words) is None


def test_a_reason_that_was_never_given_is_not_erased() -> None:
    words = Words(salt=SALT, actor_name="ines", reason="")
    assert is_erased({**SAID, "reason": None}, words) is False
