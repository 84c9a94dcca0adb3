"""Campaign 4: every window of an external call, at every kind of receiver, with both senders."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from operations.actions.dispatch_operation import Dispatched
from operations.models import Operation
from operations.protocol.states import Executor
from tests.build import a_console_operation, an_agent, an_operation
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.children import Child
from tests.campaigns.harness.people import People
from tests.campaigns.harness.rig import Rig
from tests.campaigns.harness.settle import settle
from tests.campaigns.windows import relay, table
from tests.campaigns.windows.profiles import ENVIRONMENT, KINDS, Kind, configure
from tests.campaigns.windows.senders import dispatch, send_as_agent
from tests.campaigns.windows.windows import WINDOWS, Death, Window
from tests.operations.api.caller import ApiCaller, a_caller

PAYLOAD = {"sku": "vanilla", "quantity": 6}
# The longest that a sender or a late effect takes, in real time, with room for a busy machine.
EFFECT_WITHIN_SECONDS = 15.0
ENDED_WITHIN_SECONDS = 40.0


@dataclass(slots=True)
class Call:
    """One operation sent through one window; what became of it, and what people did then."""

    window: Window
    kind: Kind
    executor: Executor
    operation: Operation
    was_killed: bool = False
    settled: str = ""
    by_people: str = ""
    words: list[str] = field(default_factory=list)


def run(run: Run) -> Tally:
    """All windows at once for each kind of receiver; then time passes, then people settle."""
    rig = run.rig()
    with relaying(rig) as relay_url:
        configure(sandbox_url=rig.sandbox.url, relay_url=relay_url)
        caller = a_caller("windows")
        caller.get("/operations")  # loads the views here, once, and not in every fork
        kinds, windows = _chosen(run)
        calls = [call for window in windows for call in send_at_once(rig, window, kinds, caller)]
        settle()
        first = rig.examine()
        for call in calls:
            call.settled = table.cell(call.operation, rig.ledger())
        people = People(lambda operation: _effects(rig, operation))
        for _ in range(2):  # the first time some can only close the attempt
            for call in calls:
                call.by_people = people.settle(call.operation) or call.by_people
                if call.by_people == "released":
                    _send_again(call, caller)
            settle()
        last = rig.examine()
    ledger = rig.ledger()
    lines = table.lines([(c.window, c.kind, c.executor, c.settled) for c in calls])
    for line in lines:
        run.say(line)
    killed = sum(call.was_killed for call in calls)
    released = sum(call.by_people == "released" for call in calls)
    return Tally(
        points=len(calls),
        out_of=len(WINDOWS) * len(KINDS) * 2,
        duplicates=len(first.duplicates) + len(last.duplicates),
        lost=len(first.lost) + len(last.lost),
        stuck=len(first.stuck) + len(last.stuck),
        violations=(
            *(found for found in {*first.all, *last.all}),
            *_not_killed(calls),
            *([] if len(kinds) < len(KINDS) else table.differences(lines)),
        ),
        work={
            "kills": killed,
            "requests": sum(ledger.requests.values()),
            "effects": sum(ledger.effects.values()),
            "confirmed": last.work.get("confirmed", 0),
            "released and sent again": released,
        },
    )


def _chosen(run: Run) -> tuple[Sequence[Kind], Sequence[Window]]:
    """All; in a slice the deaths and some quick windows, at one kind of receiver."""
    if run.focus:
        return KINDS, [window for window in WINDOWS if run.focus in window.code]
    if not run.is_slice:
        return KINDS, WINDOWS
    deaths = [window for window in WINDOWS if window.death]
    quick = [window for window in WINDOWS if not window.death and not window.seconds]
    return run.random.sample(KINDS, 1), [*deaths, *run.random.sample(quick, 4)]


def send_at_once(rig: Rig, window: Window, kinds: Sequence[Kind], caller: ApiCaller) -> list[Call]:
    """Send through one window at each kind of receiver, by both senders; await their ends."""
    senders = (Executor.CONSOLE, Executor.AGENT)
    calls = [_arranged(rig, kind, who, window, caller) for kind in kinds for who in senders]
    started = [(call, rig.start(_act(rig, call, caller))) for call in calls]
    if window.death is Death.DURING_THE_CALL:
        _kill_at_the_effect(rig, started)
    for call, child in started:
        end = child.end(within_seconds=ENDED_WITHIN_SECONDS)
        call.was_killed = end.was_killed
        call.words += [end.words] if end.words else []
        if end.value not in (None, "sent", str(Dispatched.CALLED)):
            call.words.append(end.value)
    return calls


def _arranged(rig: Rig, kind: Kind, executor: Executor, window: Window, caller: ApiCaller) -> Call:
    receiver = kind.relayed if window.relayed else kind.name
    key = f"{kind.name}-{executor}/{window.code}"
    make = a_console_operation if executor is Executor.CONSOLE else an_operation
    agent = an_agent() if executor is Executor.CONSOLE else caller.token.agent
    operation = make(agent=agent, key=key, receiver=receiver)
    if not kind.has_keys and window.fault != "refuse":
        rig.sandbox.fault(key, "ignore_key", times=1000)
    if window.fault:
        rig.sandbox.fault(key, window.fault, seconds=window.seconds)
    return Call(window, kind, executor, operation)


def _act(rig: Rig, call: Call, caller: ApiCaller) -> Callable[[], Any]:
    if call.executor is Executor.CONSOLE:
        return partial(dispatch, call.operation.pk, call.window)
    return partial(
        send_as_agent,
        token=caller.secret,
        key=call.operation.key,
        receiver=call.operation.receiver,
        payload=PAYLOAD,
        url=_base_url(call.operation),
        window=call.window,
    )


def _base_url(operation: Operation) -> str:
    from operations.registry import receiver

    return receiver(operation.receiver, operation.environment).base_url


def _send_again(call: Call, caller: ApiCaller) -> None:
    """People released it: the same sender sends it once more, and nothing goes wrong now."""
    fine = Window("fine", "nothing goes wrong")
    if call.executor is Executor.CONSOLE:
        dispatch(call.operation.pk, fine)
        return
    send_as_agent(
        token=caller.secret,
        key=call.operation.key,
        receiver=call.operation.receiver,
        payload=PAYLOAD,
        url=_base_url(call.operation),
        window=fine,
    )


def _kill_at_the_effect(rig: Rig, started: Sequence[tuple[Call, Child]]) -> None:
    """Each as soon as the receiver has acted: its answer comes much later."""
    until = time.monotonic() + EFFECT_WITHIN_SECONDS
    left = list(started)
    while left:
        for call, child in [each for each in left if _effects(rig, each[0].operation)]:
            child.send(signal.SIGKILL)
            left.remove((call, child))
        assert time.monotonic() < until, f"the receiver never acted for {left}"
        time.sleep(0.01)


def _effects(rig: Rig, operation: Operation) -> list[str]:
    found: list[str] = rig.sandbox.ledger(operation.key, environment=ENVIRONMENT)["effects"]
    return found


def _not_killed(calls: list[Call]) -> Iterator[str]:
    for call in calls:
        if bool(call.window.death) != call.was_killed:
            yield f"{call.operation.key}: expected a kill only where one is due, got {call.words}"
        elif call.words:
            yield f"{call.operation.key}: its sender ended with {call.words[0].splitlines()[-1]}"


@contextmanager
def relaying(rig: Rig) -> Iterator[str]:
    """The relay in a process of its own; its address."""
    server = relay.listen()
    child = rig.start(lambda: relay.serve(server, rig.sandbox.url))
    host, port = server.server_address[:2]
    server.socket.close()
    try:
        yield f"http://{host!s}:{port}"
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.end()


CAMPAIGN = Campaign(
    name="windows",
    title="each window of an external call, at each kind of receiver, with both senders",
    share=0,
    needs_seconds=40,
    run=run,
    has_focus=True,
    least={"kills": 4 * 4 * 2, "confirmed": 40, "released and sent again": 4},
    least_in_slice={"kills": 8, "effects": 8, "confirmed": 4},
    whole=True,
)
