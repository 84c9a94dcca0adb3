"""A lease ends at its last instant."""

import pytest

from operations.protocol.claims import is_live

from .build import MARKED_AT, after

EXPIRES_AT = after(MARKED_AT, 60)


@pytest.mark.parametrize(("seconds", "is_held"), [(-0.001, True), (0, False), (0.001, False)])
def test_a_lease_ends_at_its_last_instant(*, seconds: float, is_held: bool) -> None:
    assert is_live(EXPIRES_AT, after(EXPIRES_AT, seconds)) is is_held


def test_no_lease_is_not_live() -> None:
    assert not is_live(None, MARKED_AT)
