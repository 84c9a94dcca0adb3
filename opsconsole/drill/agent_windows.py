"""The six crash windows of an agent: its process dies, and the next run asks with the same key."""

from typing import Any

from opsconsole.drill import agent
from opsconsole.drill.environment import APPROVED_ORDER
from opsconsole.drill.failing import Failed
from opsconsole.drill.scene import LEASE_SECONDS, Scene

# Longer than the sender waits: it is killed while it waits.
LATE_SECONDS = 8


def before_mark(scene: Scene) -> str:
    """Claimed, and dead: nothing was sent, and the next run sends."""
    _die(scene, agent.BEFORE_MARK)
    scene.expect("State after the kill", "ready", scene.operation()["state"])
    return _confirmed(scene, _next_run(scene), calls=1)


def before_call(scene: Scene) -> str:
    """Marked, and dead: nobody knows but the receiver, which has nothing; a person is asked."""
    _die(scene, agent.BEFORE_CALL)
    scene.expect("State after the kill", "sent_unknown", scene.operation()["state"])
    ending = _next_run(scene, wait_seconds=0)
    scene.expect("The next run", ("not_sendable", 0), (ending["ended"], ending["calls"]))
    return asked(scene)


def before_answer(scene: Scene) -> str:
    """Killed while it waits for the answer of a receiver that has made the effect."""
    scene.arm("answer_late", seconds=LATE_SECONDS)
    first = scene.agent()
    first.tell({"do": "effect"})
    if not scene.await_effect(first):
        raise Failed(f"Expected an effect to wait for, got none: {first.words()}")
    scene.kill(first)
    scene.expect("State after the kill", "sent_unknown", scene.operation()["state"])
    return _looked_up(scene, _next_run(scene))


def before_report(scene: Scene) -> str:
    """It has the receipt in hand, and dies with it."""
    _die(scene, agent.BEFORE_REPORT)
    scene.expect("State after the kill", "sent_unknown", scene.operation()["state"])
    return _looked_up(scene, _next_run(scene))


def after_confirmation(scene: Scene) -> str:
    """All is on record; the next run gets the stored receipt and calls nobody."""
    _die(scene, agent.AFTER_CONFIRMATION)
    scene.expect("State after the kill", "confirmed", scene.operation()["state"])
    return _confirmed(scene, _next_run(scene), calls=0)


def awaiting_approval(scene: Scene) -> str:
    """It waits for a yes when it dies; asking again observes. In the end nobody has to answer."""
    scene.kind = APPROVED_ORDER
    first = scene.agent()
    asked_first = scene.ask(first, "register")
    scene.expect("State", "awaiting_approval", asked_first["state"])
    first.tell({"do": "effect", "wait_seconds": scene.left_seconds})
    scene.until("the first run to wait", lambda seen: seen["approval"]["asked_count"] == 2)
    scene.kill(first)
    ending = _next_run(scene, wait_seconds=0)
    scene.expect("The next run", ("not_sendable", 0), (ending["ended"], ending["calls"]))
    scene.expect("What it has to do", "wait_for_approval", ending["next_action"])
    approval = ending["approval"]
    scene.expect("The request", asked_first["approval"]["id"], approval["id"])
    operation = scene.operation()
    scene.console.cancel(
        operation["id"], version=operation["version"], reason="The drill is over; nobody answers."
    )
    scene.until("a withdrawn request", lambda seen: seen["state"] == "cancelled")
    return f"one request, asked for {approval['asked_count']} times; withdrawn, never sent"


def asked(scene: Scene) -> str:
    """The end where the mark is on record and the receiver has nothing."""
    seen = scene.until("a person to be asked", lambda seen: seen["open_reviews"])
    scene.expect("The questions", ["unknown_outcome"], seen["open_reviews"])
    scene.expect("State", "sent_unknown", seen["state"])
    return "sent, unknown; a person is asked, nobody sends"


def confirmed_by_lookup(scene: Scene) -> str:
    """The end where the receiver's own record is the proof."""
    seen = scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    scene.expect("Grade", "receipt", seen["grade"])
    scene.expect("Attempts", 1, len(seen["attempts"]))
    return "confirmed by receipt, looked up"


def _die(scene: Scene, window: str) -> None:
    first = scene.agent()
    first.tell({"do": "effect", "dies": window})
    scene.see_killed(first)


def _next_run(scene: Scene, *, wait_seconds: float | None = None) -> dict[str, Any]:
    """The same request by a new process; it waits out the old claim and for a settlement."""
    waits = scene.left_seconds - LEASE_SECONDS if wait_seconds is None else wait_seconds
    ending = scene.ask(scene.agent(), "effect", wait_seconds=max(0.0, waits))
    if "ended" not in ending:
        raise Failed(f"Expected the next run to come to an end, got {ending}.")
    return ending


def _confirmed(scene: Scene, ending: dict[str, Any], *, calls: int) -> str:
    scene.expect("The next run", ("returned", calls), (ending["ended"], ending["calls"]))
    seen = scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    scene.expect("The effect", seen["effect_id"], ending["effect_id"])
    scene.expect("Attempts", 1, len(seen["attempts"]))
    if calls:
        return "confirmed; the next run sent it"
    return "confirmed; the stored receipt came back"


def _looked_up(scene: Scene, ending: dict[str, Any]) -> str:
    scene.expect("The next run", ("returned", 0), (ending["ended"], ending["calls"]))
    outcome = confirmed_by_lookup(scene)
    scene.expect("The effect", scene.operation()["effect_id"], ending["effect_id"])
    return outcome
