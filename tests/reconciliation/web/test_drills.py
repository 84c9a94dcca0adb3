"""The drills page: the latest run, the earlier ones, and how to run one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from operations import clock
from reconciliation.actions.record_drill import end_drill
from reconciliation.models import DrillRun
from reconciliation.web import drills
from tests.browsing import Browser, text_of
from tests.build import an_operation
from tests.people import an_unknown_outcome
from tests.reconciliation.actions.test_record_drill import a_result, a_run

pytestmark = pytest.mark.django_db

PAGE = "/drills/"


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def test_before_the_first_it_says_how_to_begin(viewer):
    shown = viewer.get(PAGE)
    assert (shown.context["latest"], shown.context["runs"]) == (None, [])
    text = text_of(shown)
    assert "No drill yet" in text
    assert "<code>.venv/bin/python manage.py drill</code>" in text


def test_without_a_sandbox_it_says_what_is_missing(viewer, settings):
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, drill=None)
    assert "none is configured" in text_of(viewer.get(PAGE))


def test_the_latest_run_is_shown_with_its_table_in_the_order_of_its_plan(viewer):
    a_run()
    run = a_run(seed=11)
    a_result(run, "lost_message", kills=1)
    operation = an_operation(key="order-1")
    a_result(run, operation_id=operation.pk)
    shown = viewer.get(PAGE)
    latest = shown.context["latest"]
    assert (latest.run, latest.status.word, latest.kill_count) == (run, "passed", 1)
    assert [row.title for row in latest.rows] == [
        "Two claimants at once",
        "A broker message that is lost",
    ]
    text = text_of(shown)
    for word in ("seed 11", f"/operations/{operation.pk}/", "2 of 2 passed"):
        assert word in text


@pytest.mark.parametrize(
    ("role", "is_told"),
    [
        ("auditor", True),
        ("operator", True),
        ("approver", True),
        ("viewer", False),
        ("admin", False),
    ],
)
def test_who_started_it_is_for_those_who_may_read_the_trail(role, is_told):
    run = a_run(started_by="ruth-at-work")
    for address in (PAGE, f"{PAGE}{run.pk}/"):
        assert ("ruth-at-work" in text_of(Browser.of(role).get(address))) is is_told


def test_a_failure_says_what_was_expected_and_got(viewer):
    run = a_run("two_claimants")
    a_result(run, requests=None, effects=None, fault="Expected 1 request, got 2.")
    shown = viewer.get(PAGE)
    assert shown.context["latest"].status.word == "failed"
    assert "Expected 1 request, got 2." in text_of(shown)
    assert 'data-label="requests">?<' in text_of(shown)


def test_the_head_of_a_run_leads_to_each_drill_that_failed(viewer):
    run = a_run()
    passed = a_result(run)
    failed = a_result(run, "lost_message", fault="Nobody found it.")
    text = text_of(viewer.get(PAGE))
    link = f'<a class="small" href="#result-{failed.pk}">failed: A broker message that is lost'
    assert (text.count("failed: "), text.count(link)) == (1, 1)
    assert text.count(f'<tr data-row id="result-{failed.pk}" data-tone="alarm">') == 1
    assert text.count(f'<tr data-row id="result-{passed.pk}">') == 1


def test_a_run_that_lacks_results_is_running_and_later_stopped(viewer):
    def status():
        return viewer.get(PAGE).context["latest"].status.word

    a_run(within_seconds=0)
    assert status() == "stopped before its end"
    run = a_run(within_seconds=60)
    assert status() == "running"
    assert "in any case" in viewer.get(PAGE).content.decode(), "a dead one must not look alive"
    end_drill(run=run)
    assert status() == "stopped before its end"
    assert "in any case" not in viewer.get(PAGE).content.decode()


def test_a_name_of_another_release_is_shown_as_it_is(viewer):
    run = a_run("of_another_release")
    a_result(run, "of_another_release")
    [row] = viewer.get(PAGE).context["latest"].rows
    assert (row.title, row.sender) == ("of_another_release", None)


def test_earlier_runs_are_paged_and_each_has_a_page(viewer, monkeypatch):
    monkeypatch.setattr(drills, "PAGE_SIZE", 2)
    numbers = [a_run().pk for _ in range(3)]
    first = viewer.get(PAGE)
    assert [view.run.pk for view in first.context["runs"]] == numbers[:0:-1]
    second = viewer.get(first.context["page"].next_url)
    assert [view.run.pk for view in second.context["runs"]] == numbers[:1]
    assert second.context["page"].next_url == ""
    assert second.context["latest"].run.pk == numbers[-1]
    assert viewer.get(f"{PAGE}{numbers[0]}/").context["item"].run.pk == numbers[0]


@pytest.mark.parametrize("number", ["999", "9" * 30])
def test_a_run_that_is_none_is_not_found(viewer, number):
    assert viewer.get(f"{PAGE}{number}/").status_code == 404


def test_what_drills_left_open_is_counted_and_linked(viewer):
    an_unknown_outcome()
    assert viewer.get(PAGE).context["left_open_count"] == 0
    an_unknown_outcome(environment="drill", kind="drill.order")
    shown = viewer.get(PAGE)
    assert shown.context["left_open_count"] == 1
    assert 'href="/?environment=drill"' in text_of(shown)


def test_it_is_reached_from_the_receivers_page(viewer):
    assert f'href="{PAGE}"' in text_of(viewer.get("/receivers/"))
    nav = viewer.get(PAGE).context["shell"]().nav
    assert [item.name for item in nav if item.is_current] == ["Receivers"]


def test_it_takes_a_role(client):
    run = a_run()
    for address in (PAGE, f"{PAGE}{run.pk}/"):
        assert Browser.of().get(address).status_code == 403
        assert client.get(address).status_code == 302
        assert Browser.of("viewer").client.post(address).status_code in (403, 405)


def test_the_page_takes_few_queries_whatever_the_data(viewer, django_assert_max_num_queries):
    for _ in range(5):
        a_result(a_run())
    with django_assert_max_num_queries(12) as asked:
        viewer.get(PAGE)
    runs = [
        each for each in asked.captured_queries if 'FROM "reconciliation_drillrun"' in each["sql"]
    ]
    assert len(runs) == 1


def test_how_long_it_took_is_from_its_start_to_its_last_result(viewer):
    run = a_run("two_claimants")
    later = a_result(run)
    took = later.ended_at - run.started_at
    assert timedelta(0) < took < timedelta(seconds=20)
    assert viewer.get(PAGE).context["latest"].took == "0 s"
    assert DrillRun.objects.get().started_at <= clock.now()
