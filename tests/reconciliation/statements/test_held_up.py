"""An application that can't go on gives its place to the receiver's other statements."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from operations import clock
from operations.models import Operation
from operations.protocol.states import State
from reconciliation.actions import run_statement as running
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.hold_run import take_run
from reconciliation.actions.run_statement import run_statement
from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.protocol.statements.profile import SANDBOX
from reconciliation.queries.statement_runs import runs_due
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, an_agent
from tests.reconciliation.statements.importing import (
    MACHINE,
    applied,
    booked,
    finished,
    fresh,
    lines_of,
    rehearsed,
    staged,
)

pytestmark = pytest.mark.django_db


def sent() -> Operation:
    return a_marked_operation(agent=an_agent())[0]


def begun(content: bytes) -> StatementRun:
    """An application that waits for a worker."""
    return apply_statement(rehearsal=rehearsed(staged(content)), profile=SANDBOX, actor=MACHINE)


def held_up(run: StatementRun, settings) -> StatementRun:
    """After a worker met it while its profile was another."""
    as_it_was = settings.OPSCONSOLE
    changed = {"sandbox": replace(SANDBOX, receivers=("sandbox",))}
    settings.OPSCONSOLE = replace(as_it_was, statements=changed)
    run_statement(run_id=run.pk, holder="a")
    settings.OPSCONSOLE = as_it_was
    return StatementRun.objects.get(pk=run.pk)


def shown(run: StatementRun) -> str:
    return text_of(Browser.of("viewer").get(f"/receipts/statements/{run.statement_id}/"))


def test_another_statement_is_applied_meanwhile(settings):
    first, second = sent(), sent()
    held = held_up(begun(lines_of(booked(first))), settings)
    assert (held.status, held.holder, bool(held.fault)) == (RunStatus.WAITING, "", True)
    assert applied(rehearsed(staged(lines_of(booked(second))))).counts == {"confirms": 1}
    assert fresh(first).state == State.SENT_UNKNOWN
    StatementRun.objects.filter(pk=held.pk).update(lease_until=clock.now())
    assert finished(held).counts == {"confirms": 1}


def test_a_worker_that_broke_holds_up_that_statement_alone(monkeypatch):
    broken = begun(lines_of(booked(sent())))

    def break_down(**given):
        raise ValueError("the words of a row, which are nobody's to read")

    with monkeypatch.context() as patched:
        patched.setattr(running, "apply_rows", break_down)
        with pytest.raises(ValueError, match="the words of a row"):
            run_statement(run_id=broken.pk, holder="a")
    assert runs_due(now=clock.now(), limit=10) == [], "it is not tried again at once"
    text = shown(broken)
    assert "It stopped at ValueError." in text
    assert "the words of a row" not in text
    assert applied(rehearsed(staged(lines_of(booked(sent()))))).counts == {"confirms": 1}


def test_a_statement_that_waits_for_another_says_which():
    ahead, behind = begun(lines_of(booked(sent()))), begun(lines_of(booked(sent())))
    assert "waits for a worker" in shown(behind)
    take_run(ahead.pk, holder="a")
    assert run_statement(run_id=behind.pk, holder="b") is None
    text = shown(behind)
    assert text.count(f"waits for statement {ahead.statement_id}") == 2
    assert "is applied now" not in text
    assert "is applied now" in shown(ahead)
    listed = Browser.of("viewer").get("/receipts/statements/").context["files"]
    assert [row.standing.look.word for row in listed] == [
        f"waits for statement {ahead.statement_id}",
        "is applied now",
    ]


def command(path, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    named = ("--receiver=sandbox", "--environment=production", "--profile=sandbox")
    call_command("import_receipts", str(path), *named, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("state", ["waiting", "running", "held up"])
def test_without_apply_the_command_only_tells_how_an_application_stands(tmp_path, settings, state):
    operation = sent()
    path = tmp_path / "may.jsonl"
    path.write_bytes(lines_of(booked(operation)))
    run = begun(path.read_bytes())
    words = "It waits for a worker."
    if state == "running":
        take_run(run.pk, holder="a")
        words = "A worker is at it."
    if state == "held up":
        held_up(run, settings)
        words = "It is held up: The profile sandbox was changed since this began."
    said, _ = command(path)
    assert f"as statement {run.statement_id} at " in said
    assert words in said
    assert "Nothing was changed: --apply goes on with it, to its end." in said
    assert fresh(operation).state == State.SENT_UNKNOWN
    assert StatementRun.objects.get(pk=run.pk).finished_at is None


def test_with_apply_the_command_finishes_what_waits(tmp_path):
    operation = sent()
    path = tmp_path / "may.jsonl"
    path.write_bytes(lines_of(booked(operation)))
    begun(path.read_bytes())
    said, _ = command(path, "--apply")
    assert "confirmed its operation" in said
    assert fresh(operation).state == State.CONFIRMED


def test_the_command_says_which_statement_it_waits_for(tmp_path, monkeypatch):
    ahead = begun(lines_of(booked(sent())))
    take_run(ahead.pk, holder="a")
    path = tmp_path / "may.jsonl"
    path.write_bytes(lines_of(booked(sent())))
    pauses: list[float] = []

    def pass_by(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            StatementRun.objects.filter(pk=ahead.pk).update(lease_until=clock.now())
            finished(ahead)

    monkeypatch.setattr("reconciliation.management.commands.import_receipts.time.sleep", pass_by)
    said, aside = command(path, "--apply")
    words = f"It waits for statement {ahead.statement_id}, which is applied now."
    assert aside.count(words) == 1
    assert "confirmed its operation" in said


def test_the_command_stops_where_it_is_held_up_itself(tmp_path, monkeypatch):
    path = tmp_path / "may.jsonl"
    path.write_bytes(lines_of(booked(sent())))
    begun(path.read_bytes())
    monkeypatch.setattr(running, "form_digest", lambda profile: "another")
    with pytest.raises(CommandError, match="was changed since this began"):
        command(path, "--apply")
