"""The crash windows of a console's dispatch: a dispatcher of the drill's own dies, a worker of the
installation finds what it left."""

from typing import Any

from opsconsole.drill import dispatcher
from opsconsole.drill.agent_windows import LATE_SECONDS, asked, confirmed_by_lookup
from opsconsole.drill.child import Child
from opsconsole.drill.failing import Failed
from opsconsole.drill.scene import Scene


def before_mark(scene: Scene) -> str:
    """Claimed, and dead: once the lease is over a worker sends it."""
    _after_death(scene, dispatcher.BEFORE_MARK, state="ready")
    seen = scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    scene.expect("Attempts", 1, len(seen["attempts"]))
    return "confirmed; a worker sent it after the lease"


def before_call(scene: Scene) -> str:
    """Marked, and dead."""
    _after_death(scene, dispatcher.BEFORE_CALL, state="sent_unknown")
    return asked(scene)


def before_answer(scene: Scene) -> str:
    """Killed while it waits for the answer of a receiver that has made the effect."""
    _after_death(scene, dispatcher.BEFORE_ANSWER, state="sent_unknown")
    return confirmed_by_lookup(scene)


def before_save(scene: Scene) -> str:
    """The answer is in its memory, and goes with it."""
    _after_death(scene, dispatcher.BEFORE_SAVE, state="sent_unknown")
    return confirmed_by_lookup(scene)


def after_confirmation(scene: Scene) -> str:
    """All is on record when it dies."""
    _die(scene, dispatcher.AFTER_CONFIRMATION)
    seen = scene.operation()
    scene.expect("State after the kill", "confirmed", seen["state"])
    scene.expect("Grade", "receipt", seen["grade"])
    return "confirmed by receipt; nothing left to do"


def _after_death(scene: Scene, point: str, *, state: str) -> None:
    """Let a dispatcher die. The record has to show the state, and its claim as still held."""
    child = _die(scene, point)
    seen = scene.operation()
    scene.expect("State after the kill", state, seen["state"])
    scene.expect("Who holds it after the kill", f"drill/{child.pid}", _holder(seen))


def _die(scene: Scene, point: str) -> Child:
    """The dispatcher that died there."""
    if point != dispatcher.BEFORE_ANSWER:
        child = scene.dispatcher(dies=point)
        scene.see_killed(child)
        return child
    scene.arm("answer_late", seconds=LATE_SECONDS)
    child = scene.dispatcher(dies=point)
    if not scene.await_effect(child):
        raise Failed(f"Expected an effect to wait for, got none: {child.words()}")
    scene.kill(child)
    return child


def _holder(operation: dict[str, Any]) -> str:
    claim = operation["claim"]
    return claim["holder"] if claim else "nobody"
