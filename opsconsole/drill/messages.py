"""What is told: a receipt of something else, a message that is lost, one that comes ten times."""

import time

from celery import current_app
from django.conf import settings

from operations.hints import DISPATCH
from opsconsole.drill import dispatcher
from opsconsole.drill.scene import LOOK_EVERY_SECONDS, Scene

TIMES = 10
QUEUE = "dispatch"


def other_payload(scene: Scene) -> str:
    """The agent's own send went well, and it hands in the receipt of another payload."""
    changes = {"quantity": scene.quantity + 1}
    answer = scene.ask(scene.agent(), "effect", changes=changes)
    scene.expect("The report", "receipt_mismatch", answer.get("problem"))
    scene.expect("Its differences", 1, answer["differences"])
    seen = scene.operation()
    scene.expect("Receipts kept", ["mismatch"], [each["verdict"] for each in seen["receipts"]])
    scene.expect("The questions", ["receipt_mismatch"], seen["open_reviews"])
    seen = scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    scene.expect("Grade", "receipt", seen["grade"])
    scene.expect("The questions at the end", ["receipt_mismatch"], seen["open_reviews"])
    return "confirmed by receipt, looked up; the other receipt is before a person"


def lost_message(scene: Scene) -> str:
    """The row is committed, its message is never sent: only a sweep can find it."""
    child = scene.dispatcher(dies=dispatcher.BEFORE_HINT)
    scene.see_killed(child)
    seen = scene.until("a sweep to find it", lambda seen: seen["state"] == "confirmed")
    scene.expect("Attempts", 1, len(seen["attempts"]))
    return "confirmed; the sweep found it"


def replayed_message(scene: Scene) -> str:
    """The same message ten times: some while it is being sent, the others afterwards."""
    scene.arm("answer_late", seconds=1)
    scene.operation_id = scene.console.register(**scene.request(), executor="console")["id"]
    _replay(scene, TIMES // 2)
    scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    _replay(scene, TIMES - TIMES // 2)
    _await_empty_queue(scene)
    seen = scene.operation()
    scene.expect("State", "confirmed", seen["state"])
    scene.expect("Attempts", 1, len(seen["attempts"]))
    return f"confirmed; {TIMES} more messages changed nothing"


def _replay(scene: Scene, times: int) -> None:
    for _ in range(times):
        current_app.send_task(
            DISPATCH,
            args=[scene.operation_id],
            expires=settings.HINT_LIVES_SECONDS,
            retry=False,
        )


def _await_empty_queue(scene: Scene) -> None:
    """Until the workers have taken every message, and had a moment for the last."""
    while scene.left_seconds and _waiting_count():
        time.sleep(LOOK_EVERY_SECONDS)
    time.sleep(1)


def _waiting_count() -> int:
    with current_app.connection_for_read() as connection:
        try:
            declared = connection.default_channel.queue_declare(QUEUE, passive=True)
        except connection.channel_errors:  # Redis has no queue without a message
            return 0
        return int(declared.message_count)
