"""How orders are tried, counted and judged, without a database."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from operations.protocol.refusals import AlreadyClaimed
from tests.campaigns.harness.boundaries import COMMIT
from tests.campaigns.interleavings.groups import Group
from tests.campaigns.interleavings.judging import Meeting, Scene
from tests.campaigns.interleavings.meetings import meetings, too_many
from tests.campaigns.interleavings.orders import TRIES, Ended, Orders, Step

WRITE = "UPDATE operation locked"


class Scripted(Orders):
    """Two lanes that both write and commit; `shut` runs find the second lane waiting for good."""

    def __init__(self, *, shut: Sequence[int] = ()) -> None:
        super().__init__((), None, list, Random(1))  # type: ignore[arg-type]
        self._shut = shut

    def _carry_out(self, run: Any) -> tuple[Any, ...]:
        left = {0: [WRITE, COMMIT], 1: [WRITE, COMMIT]}
        while any(left.values()):
            ready = {lane: Step(lane, todo[0], frozenset()) for lane, todo in left.items() if todo}
            if self.runs in self._shut and left[0]:
                ready.pop(1, None)
            left[run.choose(ready)].pop(0)
        return ("done", "done")


def tried(orders: Orders) -> list[Ended]:
    return list(orders.all(lambda: False))


def ways(found: Sequence[Ended]) -> set[tuple[int, ...]]:
    return {tuple(step.lane for step in ended.order) for ended in found if ended.is_new}


def test_every_order_of_steps_that_depend_on_each_other_is_tried_once() -> None:
    orders = Scripted()
    found = tried(orders)
    assert len(found) == orders.runs == len(ways(found)) == 6
    assert orders.is_whole


def test_a_run_that_went_another_way_is_handed_over_and_its_order_is_tried_again() -> None:
    orders = Scripted(shut=[2])
    found = tried(orders)
    assert [ended.is_new for ended in found].count(False) == 1
    assert len(found) == orders.runs == 7
    assert (len(ways(found)), orders.is_whole, orders.not_repeated) == (6, True, 0)


def test_an_order_that_is_never_repeated_is_counted_and_nothing_is_called_whole() -> None:
    orders = Scripted(shut=range(2, 100))
    found = tried(orders)
    assert (orders.is_whole, orders.not_repeated) == (False, 2)
    assert len(found) == orders.runs == 1 + 2 * TRIES


def meeting(**options: Any) -> Meeting:
    return Meeting(Group(name="any", arrange=lambda: None, acts={}, **options), ("one", "two"))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("is_new", [True, False])
def test_a_clash_counts_in_an_order_that_is_none_of_those_wished_for(is_new: bool) -> None:
    ended = Ended(("done", "done"), (Step(0, COMMIT, frozenset()),), is_new=is_new)
    found = list(Scene(meeting(one_of=(frozenset({"one", "two"}),))).judge(ended))
    assert found == ["any: one, two: one and two both won in the order 0 COMMIT"]


def test_a_refusal_wins_nothing_and_any_other_error_is_told() -> None:
    rivals = (frozenset({"one", "two"}),)
    refused = Ended(("done", AlreadyClaimed.__new__(AlreadyClaimed)), (), is_new=True)
    failed = Ended(("done", KeyError("x")), (), is_new=True)
    assert list(Scene(meeting(one_of=rivals)).judge(refused)) == []
    assert "two ended with KeyError" in next(Scene(meeting(one_of=rivals)).judge(failed))


def test_more_than_one_order_in_ten_that_is_given_up_fails_a_run_of_twenty() -> None:
    assert list(too_many(3, orders=16)) == []
    assert list(too_many(2, orders=18)) == []
    (said,) = too_many(3, orders=17)
    assert said.startswith("expected at most 10% of 20 orders not to be repeatable, got 3")


def test_meetings_have_names_of_their_own_and_parts_share_them() -> None:
    names = [str(each) for each in meetings()]
    assert len(set(names)) == len(names)
    for each in meetings():
        rivals = [name for names in each.group.one_of for name in names]
        assert set(rivals) | each.group.never <= set(each.group.acts)
