"""One drill while it is played: its order, its processes, its counts and its time limit."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any
from urllib.parse import quote

import httpx

from operations.registry import DRILL
from opsconsole.client import OpsConsole
from opsconsole.drill.child import Child
from opsconsole.drill.environment import DELIVERY_DELAY_SECONDS, ORDER, SEND_WITHIN_SECONDS
from opsconsole.drill.failing import Failed
from reconciliation.protocol.drills import Drill

# See the profile of the environment: the first lookup after a crash says all there is to know.
LEASE_SECONDS = SEND_WITHIN_SECONDS + DELIVERY_DELAY_SECONDS + 1
LOOK_EVERY_SECONDS = 0.4
LOOK_OFTEN_SECONDS = 0.05
LONGEST_TOLD = 200
SKUS = ("vanilla", "cardamom", "saffron", "gift-box-m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where all drills of one run are played. `limit_seconds` is for each of them.

    Once `stopped` is set, by Ctrl-C, no drill has any time left.
    """

    url: str
    token: str = field(repr=False)
    sandbox_url: str
    receiver: str
    limit_seconds: float
    stopped: Event = field(default_factory=Event)


@dataclass(slots=True, kw_only=True)
class Scene:
    """One drill. `key` names its order; `kills` counts the processes that truly were SIGKILLed."""

    drill: Drill
    ground: Ground
    key: str
    quantity: int
    sku: str
    kind: str = ORDER
    kills: int = 0
    operation_id: str = ""
    ends_at: float = 0.0
    children: list[Child] = field(default_factory=list)
    console: OpsConsole = field(init=False)

    def begin(self) -> None:
        """From here on the time limit runs."""
        self.ends_at = time.monotonic() + self.ground.limit_seconds
        # A console that gives no answer is told as such; it was there when the run began.
        self.console = OpsConsole(self.ground.url, self.ground.token, repeat_seconds=3)

    @property
    def left_seconds(self) -> float:
        """How much of the time limit is left; never negative."""
        if self.ground.stopped.is_set():
            return 0.0
        return max(0.0, self.ends_at - time.monotonic())

    def request(self) -> dict[str, Any]:
        """What is asked for."""
        return {
            "key": self.key,
            "kind": self.kind,
            "receiver": self.ground.receiver,
            "environment": DRILL,
            "payload": {"sku": self.sku, "quantity": self.quantity},
            "goal": f"{self.drill.title}. {self.drill.promise}",
        }

    def agent(self) -> Child:
        """An agent process, which waits to be told what to do."""
        return self._start(
            "opsconsole.drill.agent",
            url=self.ground.url,
            token=self.ground.token,
            sandbox=self.ground.sandbox_url,
            lease_seconds=LEASE_SECONDS,
        )

    def dispatcher(self, *, dies: str) -> Child:
        """A dispatcher process, which registers the order and sends it until it dies."""
        return self._start("opsconsole.drill.dispatcher", dies=dies)

    def ask(self, child: Child, do: str, **given: Any) -> dict[str, Any]:
        """Have an agent do one act; its answer."""
        child.tell({"do": do, **given})
        return child.answer(self.left_seconds)

    def kill(self, child: Child) -> None:
        """SIGKILL a child. Raises Failed when it had ended before."""
        child.kill()
        self.see_killed(child)

    def see_killed(self, child: Child) -> None:
        """Count a kill. Raises Failed when the child did not end by SIGKILL."""
        if not child.was_killed(self.left_seconds):
            raise Failed(
                f"Expected a process that ended by SIGKILL, got one that said: {child.words()}"
            )
        self.kills += 1

    def operation(self) -> dict[str, Any]:
        """The operation as its agent may see it, with its evidence. Raises Failed without one."""
        if not self.operation_id:
            found = next(self.console.list(environment=DRILL, key=self.key), None)
            if found is None:
                raise Failed(f"Expected an operation under the key {self.key}, got none.")
            self.operation_id = found["id"]
        return self.console.get(self.operation_id)

    def until(
        self, what: str, holds: Callable[[dict[str, Any]], Any], *, operation_id: str = ""
    ) -> dict[str, Any]:
        """The operation, or another one, once it holds.

        Raises Failed, saying what it was waited for, when the time is up.
        """
        while not holds(seen := self._seen(operation_id)):
            if not self.left_seconds:
                reviews = ", ".join(seen["open_reviews"]) or "no open question"
                raise Failed(f"Expected {what} in time, got {seen['state']} with {reviews}.")
            time.sleep(LOOK_EVERY_SECONDS)
        return seen

    def expect(self, what: str, expected: object, got: object) -> None:
        """Raises Failed when the two differ."""
        if expected != got:
            raise Failed(f"{what}: expected {expected}, got {got}.")

    def arm(self, fault: str, *, seconds: float, key: str = "") -> None:
        """Arm a fault of the sandbox for this order, or for another one."""
        body = {"operation_id": key or self.key, "fault": fault, "seconds": seconds}
        self._sandbox("POST", "/faults", json=body)

    def ledger(self) -> tuple[int, int]:
        """Requests and effects, as the receiver counted them apart in its own file.

        Raises httpx.HTTPError without an answer, Failed for one that is no count.
        """
        answer = self._sandbox("GET", f"/ledger/{quote(self.key, safe='')}")
        try:
            found = answer.json()
            return int(found["requests"]), len(found["effects"])
        except (ValueError, KeyError, TypeError):
            got = answer.text[:LONGEST_TOLD]
            raise Failed(
                f"The receiver's ledger: expected requests and effects, got {got!r}."
            ) from None

    def await_effect(self, child: Child) -> bool:
        """Whether the receiver made the effect while the child still waits for its answer."""
        while not child.has_ended and self.left_seconds:
            if self.ledger()[1]:
                return True
            time.sleep(LOOK_OFTEN_SECONDS)
        return False

    def stop(self) -> None:
        """Kill every child, from another thread: whoever waits for one learns that it is gone."""
        for child in list(self.children):
            child.kill()

    def close(self) -> None:
        """End every child and the connection."""
        for child in self.children:
            child.close()
        self.console.close()

    def _seen(self, operation_id: str) -> dict[str, Any]:
        return self.console.get(operation_id) if operation_id else self.operation()

    def _start(self, module: str, **given: Any) -> Child:
        if not self.left_seconds:
            raise Failed("There is no time left for another process.")
        within_seconds = int(self.left_seconds) + 1
        words = {"request": self.request(), "within_seconds": within_seconds, **given}
        self.children.append(Child(module, words))
        return self.children[-1]

    def _sandbox(self, method: str, path: str, **given: Any) -> httpx.Response:
        with httpx.Client(trust_env=False, timeout=10) as http:
            url, headers = f"{self.ground.sandbox_url}{path}", {"Environment": DRILL}
            return http.request(method, url, headers=headers, **given).raise_for_status()
