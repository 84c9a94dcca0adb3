"""A drill that can't begin says why, and what to do; it keeps no run."""

import os
import signal
import time
from dataclasses import replace
from threading import Thread
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from operations.actions.halt_dispatch import halt_dispatch
from operations.models import ApiToken, Operation
from operations.registry import DRILL
from opsconsole.client import OpsConsole
from opsconsole.drill import reaching, running
from opsconsole.drill.failing import CannotDrill
from opsconsole.embedded.ports import free_port
from opsconsole.management.commands.drill import STOPPING
from reconciliation.models import DrillRun
from tests.people import an_operator
from tests.receiver import sandbox_process_fixture

__all__ = ["sandbox_process_fixture"]

ANY_DATABASE = pytest.mark.django_db(transaction=True)


@pytest.fixture
def nowhere():
    return f"http://127.0.0.1:{free_port(kept=0)}"


@pytest.fixture
def receiver(settings, sandbox_process):
    drill = settings.OPSCONSOLE.drill
    [config] = drill.receivers.values()
    config = replace(config, base_url=sandbox_process.url)
    drill = replace(drill, receivers={(DRILL, config.name): config})
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, drill=drill)
    return config


def test_without_a_sandbox_there_is_nothing_to_send_to(settings):
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, drill=None)
    with pytest.raises(CannotDrill, match=r"connector “sandbox” is configured.*opsconsole.toml"):
        reaching.the_receiver()


@pytest.mark.django_db
def test_a_console_that_is_away_ends_the_command_with_a_sentence(nowhere):
    with pytest.raises(CommandError, match=f"console does not answer at {nowhere}") as ended:
        call_command("drill", url=nowhere)
    assert "make demo" in str(ended.value)
    assert ended.value.returncode == 1
    assert not DrillRun.objects.exists()


@ANY_DATABASE
def test_a_sandbox_that_is_away_is_named(live_server, receiver, nowhere):
    away = replace(receiver, base_url=nowhere)
    with pytest.raises(CannotDrill, match=f"sandbox receiver does not answer at {nowhere}"):
        reaching.require_answers(live_server.url, away)


@ANY_DATABASE
def test_a_halt_would_hold_every_drill(live_server, receiver):
    halt_dispatch(actor=an_operator(), reason="Twice.")
    with pytest.raises(CannotDrill, match="Dispatch is halted"):
        reaching.require_answers(live_server.url, receiver)


@ANY_DATABASE
def test_without_a_worker_the_order_is_withdrawn(live_server, receiver, settings, monkeypatch):
    monkeypatch.setattr(reaching, "TAKEN_WITHIN_SECONDS", 1)
    monkeypatch.setattr(reaching, "TAKEN_WITHIN_SWEEPS", 0)
    with pytest.raises(CommandError, match=r"No worker sent an order within 1 s: it is ready"):
        call_command("drill", url=live_server.url)
    assert Operation.objects.get().state == "cancelled"
    assert not DrillRun.objects.exists()


@ANY_DATABASE
def test_a_token_that_the_console_does_not_know_is_another_databases(live_server, receiver):
    with pytest.raises(CannotDrill, match=r"takes no order of a drill \(unauthenticated"):
        reaching.require_workers(live_server.url, "oc_unknown", receiver)


def test_a_console_that_goes_away_while_it_is_asked_is_said(nowhere):
    with (
        OpsConsole(nowhere, "oc_any", repeat_seconds=0) as console,
        pytest.raises(CannotDrill, match=r"does not say what became of it \(unreachable: .* again"),
    ):
        reaching._await_confirmation(console, {"id": str(uuid4())})


@pytest.mark.parametrize("sweep_seconds", [1, 3600])
def test_the_token_outlives_the_look_for_a_worker_and_the_run(settings, sweep_seconds):
    settings.SWEEP_SECONDS = sweep_seconds
    limit_seconds = 90 + 5 * sweep_seconds
    a_worker_seconds = 15 + 3 * sweep_seconds
    longest_run_seconds = 4 * (limit_seconds + 15)
    assert running.run_within_seconds(16) == longest_run_seconds
    assert running.token_lives_seconds(16) >= a_worker_seconds + longest_run_seconds + 60


@ANY_DATABASE
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_stopped_before_its_first_drill_says_that_there_is_none(live_server, receiver, sent):
    before = {number: signal.getsignal(number) for number in STOPPING}
    asked = Thread(target=send_once_an_order_is_there, args=[sent])
    asked.start()
    try:
        with pytest.raises(CommandError, match="Stopped before the first drill began") as ended:
            call_command("drill", url=live_server.url)
    finally:
        asked.join()
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ended.value.returncode == 130
    assert "kept" not in str(ended.value)
    assert not DrillRun.objects.exists()
    assert not ApiToken.objects.filter(revoked_at=None).exists()


def send_once_an_order_is_there(number):
    ends_at = time.monotonic() + 10  # nobody takes the order, and the command waits for longer
    while time.monotonic() < ends_at and not Operation.objects.exists():
        time.sleep(0.05)
    connection.close()
    os.kill(os.getpid(), number)


@pytest.mark.django_db
def test_two_drills_at_once_are_one_too_many():
    wanted = running.Wanted(url="", drills=[], seed=1, started_by="ruth", release="0.1.0")
    running._start(wanted, 60)
    with pytest.raises(CannotDrill, match=r"is running since .* Wait until it is over"):
        running._start(wanted, 60)


@pytest.mark.parametrize(
    ("names", "seed", "expected"),
    [(["no_such"], None, "got no_such"), ([], -1, "--seed: expected 0 to")],
)
def test_a_mistake_on_the_command_line_is_named(names, seed, expected):
    with pytest.raises(CommandError, match=expected):
        call_command("drill", *names, seed=seed)
