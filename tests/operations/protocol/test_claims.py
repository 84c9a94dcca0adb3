from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.claims import can_mark, is_current, is_live
from operations.protocol.states import Purpose, State

from .build import MARKED_AT, SEND_DEADLINE_AT, after

EXPIRES_AT = after(MARKED_AT, 60)


@pytest.mark.parametrize(("seconds", "is_held"), [(-0.001, True), (0, False), (0.001, False)])
def test_a_lease_ends_at_its_last_instant(*, seconds: float, is_held: bool) -> None:
    assert is_live(EXPIRES_AT, after(EXPIRES_AT, seconds)) is is_held


def test_no_lease_is_not_live() -> None:
    assert not is_live(None, MARKED_AT)


def test_expiry_alone_does_not_stop_reports() -> None:
    assert is_current(7, 7, given_back=False)
    assert not is_live(EXPIRES_AT, after(EXPIRES_AT, 1))


@pytest.mark.parametrize(
    ("token", "current", "given_back"),
    [(6, 7, False), (8, 7, False), (7, 7, True), (7, None, False)],
)
def test_a_token_is_current_until_a_higher_one_or_its_return(
    *, token: int, current: int | None, given_back: bool
) -> None:
    assert not is_current(token, current, given_back=given_back)


@pytest.mark.parametrize(
    ("change", "is_allowed"),
    [
        ({}, True),
        ({"send_until": EXPIRES_AT}, True),
        ({"send_until": after(EXPIRES_AT, 0.001)}, False),
        ({"expires_at": None}, False),
        ({"given_back": True}, False),
        ({"current_token": 8}, False),
        ({"purpose": Purpose.RECONCILE}, False),
        ({"purpose": None}, False),
        *(({"state": state}, False) for state in State if state is not State.READY),
    ],
)
def test_the_mark_needs_ready_and_a_dispatch_claim_that_outlasts_the_send(
    *, change: dict[str, object], is_allowed: bool
) -> None:
    claim = {
        "token": 7,
        "current_token": 7,
        "state": State.READY,
        "purpose": Purpose.DISPATCH,
        "given_back": False,
        "expires_at": EXPIRES_AT,
        "send_until": SEND_DEADLINE_AT,
        **change,
    }
    assert can_mark(**claim) is is_allowed  # type: ignore[arg-type]


@dataclass
class Row:
    """What the operation's row holds of its machine slot, moved as the database moves it."""

    counter: int = 0
    token: int | None = None
    is_given_back: bool = False
    holders: dict[str, list[int]] = field(default_factory=dict)

    def claim(self, holder: str) -> None:
        self.counter += 1
        self.token, self.is_given_back = self.counter, False
        self.holders.setdefault(holder, []).append(self.counter)

    def give_back(self, holder: str) -> None:
        tokens = self.holders.get(holder)
        if tokens and is_current(tokens[-1], self.token, given_back=self.is_given_back):
            self.is_given_back = True


@given(
    st.lists(
        st.tuples(st.sampled_from(["claim", "give_back"]), st.sampled_from("abc")), max_size=20
    )
)
def test_at_most_the_newest_token_is_ever_current(acts: list[tuple[str, str]]) -> None:
    row = Row()
    for act, holder in acts:
        getattr(row, act)(holder)
        current = [
            token
            for token in range(row.counter + 2)
            if is_current(token, row.token, given_back=row.is_given_back)
        ]
        assert current == ([] if row.is_given_back or not row.counter else [row.counter])
