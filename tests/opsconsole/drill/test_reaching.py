"""A drill that can't begin says why, and what to do; it keeps no run."""

from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from operations.actions.halt_dispatch import halt_dispatch
from operations.models import Operation
from operations.registry import DRILL
from opsconsole.drill import reaching, running
from opsconsole.drill.failing import CannotDrill
from opsconsole.embedded.ports import free_port
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
