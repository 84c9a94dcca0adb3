"""What is told: a receipt of something else, a message that is lost, one that comes ten times."""

from celery import current_app

from operations.hints import DISPATCH
from opsconsole.drill import dispatcher
from opsconsole.drill.scene import Scene

TIMES = 10
# An order behind them is under way for this long, while others see that there is nothing to do.
WITNESS_SECONDS = 1


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
    see_all_taken(scene)
    seen = scene.operation()
    scene.expect("State", "confirmed", seen["state"])
    scene.expect("Attempts", 1, len(seen["attempts"]))
    return f"confirmed; {TIMES} more messages changed nothing"


def _replay(scene: Scene, times: int) -> None:
    for _ in range(times):
        # None of them expires: one that a worker drops unread would show nothing.
        current_app.send_task(DISPATCH, args=[scene.operation_id], retry=False)


def see_all_taken(scene: Scene) -> None:
    """See one more order sent, whose message is behind all the others in the same queue.

    So each of those was taken, however busy the queue is with other people's work. Raises Failed
    when the time is up before that.
    """
    key = f"{scene.key}-witness"
    scene.arm("answer_late", seconds=WITNESS_SECONDS, key=key)
    request = scene.request() | {"key": key, "goal": "Show that the messages before it were taken."}
    witness = scene.console.register(**request, executor="console")["id"]
    scene.until(
        "workers that take every message",
        lambda seen: seen["state"] == "confirmed",
        operation_id=witness,
    )
