"""Two processes with one operation: at once, and one after the other's lease."""

from opsconsole.drill.child import Child
from opsconsole.drill.failing import Failed
from opsconsole.drill.scene import Scene

LONG_LEASE_SECONDS = 60
SHORT_LEASE_SECONDS = 5


def two_claimants(scene: Scene) -> str:
    """Two processes claim the same version at the same moment; the one that got it sends."""
    both = [scene.agent(), scene.agent()]
    for child in both:
        scene.expect("State", "ready", scene.ask(child, "register")["state"])
    for child in both:
        child.tell({"do": "claim", "lease_seconds": LONG_LEASE_SECONDS})
    answers = [child.answer(scene.left_seconds) for child in both]
    told = sorted(answer.get("problem", "claimed") for answer in answers)
    scene.expect("What the two were told", ["already_claimed", "claimed"], told)
    _send(scene, both[next(n for n, answer in enumerate(answers) if "token" in answer)])
    return "confirmed; one 201, one already_claimed (409)"


def expired_lease(scene: Scene) -> str:
    """The first holder is stopped, sleeps past its lease, and wakes when another has sent."""
    sleeper, successor = scene.agent(), scene.agent()
    for child in (sleeper, successor):
        scene.ask(child, "register")
    old = _claim(scene, sleeper, lease_seconds=SHORT_LEASE_SECONDS)
    sleeper.pause()
    scene.until("a lease that is over", lambda seen: seen["claim"] is None)
    new = _claim(scene, successor, lease_seconds=LONG_LEASE_SECONDS)
    if new <= old:
        raise Failed(f"Expected a token above {old} for the successor, got {new}.")
    sleeper.go_on()
    _refused(scene, sleeper, "mark")
    _done(scene, successor, "send")
    _done(scene, sleeper, "look")
    _refused(scene, sleeper, "report")
    seen = scene.operation()
    scene.expect("State after the old report", "sent_unknown", seen["state"])
    scene.expect("Kept reports of the old token", 1, sum(r["is_stale"] for r in seen["receipts"]))
    _done(scene, successor, "report")
    _see_confirmed(scene)
    return "confirmed; the old token's report was refused and kept"


def _send(scene: Scene, child: Child) -> None:
    for act in ("send", "report"):
        _done(scene, child, act)
    _see_confirmed(scene)


def _claim(scene: Scene, child: Child, *, lease_seconds: int) -> int:
    answer = scene.ask(child, "claim", lease_seconds=lease_seconds)
    if "token" not in answer:
        raise Failed(f"Expected a claim, got {answer}.")
    token: int = answer["token"]
    return token


def _done(scene: Scene, child: Child, act: str) -> None:
    answer = scene.ask(child, act)
    if "problem" in answer or "error" in answer:
        raise Failed(f"Expected to {act}, got {answer}.")


def _refused(scene: Scene, child: Child, act: str) -> None:
    answer = scene.ask(child, act)
    code = answer.get("problem", "no refusal")
    scene.expect(f"What the old token's {act} was told", "stale_claim", code)


def _see_confirmed(scene: Scene) -> None:
    seen = scene.until("a confirmation", lambda seen: seen["state"] == "confirmed")
    scene.expect("Attempts", 1, len(seen["attempts"]))
