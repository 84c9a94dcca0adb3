"""How campaigns are run, shared out and judged."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.campaigns.__main__ import part_of
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.lanes import LANES, Budget, Job
from tests.campaigns.results import Result, table, tally_of, together
from tests.campaigns.running import _seconds


def a_campaign(name: str = "one", **options: object) -> Campaign:
    values = {"name": name, "title": "", "share": 1, "needs_seconds": 0, "run": nothing}
    return Campaign(**{**values, "least": {"kills": 10}, **options})  # type: ignore[arg-type]


def nothing(run: Run) -> Tally:
    return Tally(points=0)


def test_parts_of_a_list_leave_nothing_out_and_take_nothing_twice(tmp_path: Path) -> None:
    whole = list(range(7))
    parts = [Run(seed=1, seconds=1, directory=tmp_path, part=(n, 3)).mine(whole) for n in (1, 2, 3)]
    assert sorted(each for part in parts for each in part) == whole


def test_parts_are_judged_together() -> None:
    halves = [Tally(points=5, out_of=6, work={"kills": 5}), Tally(points=5, out_of=5, lost=1)]
    whole = together(halves)
    assert (whole.points, whole.out_of, whole.lost, whole.work) == (10, 11, 1, {"kills": 5})
    assert a_campaign(whole=True).failures(whole) == [
        "1 operations lost",
        "expected at least 10 kills, got 5: too little was done",
        "1 of 11 points were left out",
    ]


def test_a_part_is_judged_by_what_it_broke_alone() -> None:
    tally = Tally(points=0, violations=("a key was sent twice",))
    assert a_campaign().failures(tally, is_part=True) == ["a key was sent twice"]


def test_what_broke_is_told_once() -> None:
    tally = Tally(points=1, duplicates=1, violations=("I1 a key: 2 effects",), work={"kills": 10})
    assert a_campaign().failures(tally) == ["I1 a key: 2 effects"]


def a_result(tally: Tally) -> Result:
    campaign = a_campaign()
    failures = campaign.failures(tally)
    return Result(campaign=campaign, tally=tally, failures=failures, seed=1, seconds=1.0)


def test_one_that_could_not_be_run_has_not_passed_unless_it_may_be_skipped() -> None:
    result = a_result(Tally(points=0, not_run="no compiler"))
    assert result.failures == []
    assert not result.has_passed()
    assert result.has_passed(may_skip=["one"])
    assert not result.has_passed(may_skip=["two"])
    assert "not run: no compiler" in table([result])


def test_what_a_part_broke_counts_where_another_could_not_be_run() -> None:
    broke = Tally(points=1, lost=1)
    result = a_result(together([broke, Tally(points=0, not_run="no compiler")]))
    assert result.failures == ["1 operations lost"]
    assert result.verdict == "FAILED"
    assert not result.has_passed(may_skip=["one"])


def test_a_run_that_did_nothing_fails() -> None:
    assert a_campaign(least={}).failures(Tally(points=0)) == ["no point was tried"]


def test_a_result_survives_being_written_and_read() -> None:
    tally = Tally(points=3, out_of=4, stuck=1, violations=("x",), work={"kills": 3}, note="n")
    told = Result(campaign=a_campaign(), tally=tally, failures=[], seed=1, seconds=1.0).as_json()
    assert tally_of({**told, "violations": list(told["violations"])}) == tally


def jobs_with(*, share: float, needs_seconds: float, count: int = 1) -> list[Job]:
    campaign = a_campaign(share=share, needs_seconds=needs_seconds)
    return [Job(campaign=campaign, part=(1, 1)) for _ in range(count)]


def test_what_is_left_of_all_lanes_is_shared_by_weight() -> None:
    jobs = [*jobs_with(share=1, needs_seconds=10, count=2), *jobs_with(share=2, needs_seconds=20)]
    budget = Budget(ends_at=time.monotonic() + 100, waiting=list(jobs))
    first, second = budget.take(jobs[0]), budget.take(jobs[1])
    budget.give_back(jobs[0])
    assert first == pytest.approx(10 + (LANES * 100 - 40) / 4, abs=1)
    assert second == pytest.approx(first, abs=1)
    assert budget.take(jobs[2]) == pytest.approx(100, abs=1), "no longer than until the end"


def test_whoever_needs_more_than_there_is_gets_it_all_the_same() -> None:
    jobs = [*jobs_with(share=0, needs_seconds=300), *jobs_with(share=5, needs_seconds=30)]
    budget = Budget(ends_at=time.monotonic() + 100, waiting=list(jobs))
    assert budget.take(jobs[0]) == 300
    assert budget.take(jobs[1]) == pytest.approx(100, abs=1), "the other lane's time is its own"


def test_the_last_of_several_has_what_it_needs_though_the_others_took_too_long() -> None:
    last = a_campaign(share=1, needs_seconds=30)
    assert _seconds([last], left=-70) == 30
    assert _seconds([last], left=100) == 100


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b"])
def test_a_part_that_is_none_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(Exception, match="expected a part such as 1/2"):
        part_of(text)


@pytest.mark.parametrize("arguments", [["crash points"], ["model", "--may-skip", "disk full"]])
def test_a_name_that_is_none_ends_with_2_and_the_names_there_are(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "tests.campaigns", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "crash-points, lost-acks" in ended.stdout


@pytest.mark.parametrize(
    ("more", "code"), [([], 1), (["--may-skip", "clocks"], 0), (["--may-skip", "disk-full"], 1)]
)
def test_a_campaign_that_needs_a_compiler_fails_without_one_and_says_why(
    more: list[str], code: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.campaigns", "clocks", "--slice", *more]
    ended = subprocess.run(
        command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(
        "not run: expected a C compiler (cc) for the clock, got none"
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["model", "--focus", "x"], "--focus: expected campaigns that know one, got model"),
        (["model", "--part", "2/2"], "--part: expected one campaign with 2 parts"),
        (["model", "--json", "/nowhere/x.json"], "--json: expected a file that can be written"),
    ],
)
def test_what_can_not_be_done_is_said_at_once(asked: list[str], words: str) -> None:
    command = [sys.executable, "-m", "tests.campaigns", *asked]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert words in ended.stdout
