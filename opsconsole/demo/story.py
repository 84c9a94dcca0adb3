"""One operation's life, played by the real actions as if it had begun a while ago."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from operations import clock
from operations.actions.claim_operation import claim_operation
from operations.actions.dispatch_operation import dispatch_operation
from operations.actions.end_attempt import end_attempt
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.record_refusal import record_refusal
from operations.actions.register_operation import register_operation
from operations.actions.registration import Registration
from operations.models import Operation
from operations.protocol.payloads import dumps, parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Executor
from opsconsole.demo.cast import Cast
from opsconsole.demo.catalogue import Request
from opsconsole.demo.receiver import Answer
from opsconsole.demo.webhooks import deliver
from reconciliation.actions.reconcile_operation import reconcile_operation

LEASE_SECONDS = 60
WORKER = "console/worker-1"


@dataclass(slots=True, kw_only=True)
class Story:
    """Each step takes the time it says, counted from `age` before now; none goes past now.

    `agent` asks, at `receiver` in `environment`; the sandbox truly takes what is sent to it.
    `operation` is the row as it was registered: identity, payload and request never change.
    """

    cast: Cast
    request: Request
    age: timedelta
    agent: str = "agent-1"
    environment: str = "production"
    receiver: str = "sandbox"
    executor: Executor = Executor.AGENT
    links: dict[str, str] = field(default_factory=dict)
    operation: Operation = field(init=False)
    _passed: timedelta = field(default=timedelta(0), init=False)
    _token: int = field(default=0, init=False)

    def another(self, request: Request, **links: str) -> "Story":
        """A second story that begins at this instant, by the same agent at the same receiver."""
        return replace(self, request=request, links=links, age=self.age - self._passed)

    def now(self, column: str) -> Any:
        """What one column of the row holds by now."""
        return Operation.objects.values_list(column, flat=True).get(pk=self.operation.pk)

    @contextmanager
    def moment(self, after: float = 0) -> Iterator[None]:
        """Let `after` seconds pass, then act at that instant."""
        self._passed = min(self._passed + timedelta(seconds=after), self.age)
        with clock.in_the_past(self.age - self._passed):
            yield

    def register(self, after: float = 0) -> Operation:
        """The agent asks; again, it observes."""
        registration = Registration(
            key=self.request.key,
            kind=self.request.kind,
            receiver=self.receiver,
            environment=self.environment,
            payload=parse_json(self.request.payload_text),
            executor=self.executor,
            goal=self.request.goal,
            reference=self.request.reference,
            context=self.request.context,
            **self.links,
        )
        with self.moment(after):
            self.operation = register_operation(
                actor=self.cast.agent(self.agent), registration=registration
            ).operation
        return self.operation

    def claim(self, after: float = 1, *, lease_seconds: int = LEASE_SECONDS) -> int:
        """The agent claims it; returns the token."""
        with self.moment(after):
            claim = claim_operation(
                operation_id=self.operation.pk,
                actor=self.cast.agent(self.agent),
                version=self.now("version"),
                holder=f"{self.agent}/{self.request.context['run']}",
                lease_seconds=lease_seconds,
            )
        self._token = claim.token
        return claim.token

    def mark(self, after: float = 1) -> None:
        """Claim and mark: from here on the outcome is unknown."""
        self.claim(after)
        with self.moment(0.2):
            mark_attempt(
                operation_id=self.operation.pk,
                actor=self.cast.agent(self.agent),
                token=self._token,
            )

    def send(self, fault: str = "", *, seconds: float | None = None) -> Answer:
        """The call itself, to the real sandbox, with a fault armed first."""
        with self.moment(0.4):
            at = clock.now()
        return self.cast.sandbox.order(
            self.operation, fault=fault, fault_seconds=seconds, occurred_at=at
        )

    def report(self, answer: Answer, *, after: float = 0.5, token: int | None = None) -> None:
        """The agent hands the receipt in."""
        with self.moment(after):
            record_receipt(
                operation_id=self.operation.pk,
                value=parse_receipt(answer.value),
                channel=Channel.RESPONSE,
                raw=answer.raw,
                actor=self.cast.agent(self.agent),
                token=token or self._token,
            )

    def report_refusal(self, answer: Answer, *, after: float = 0.5) -> None:
        """The agent reports the receiver's no; the server judges it."""
        with self.moment(after):
            record_refusal(
                operation_id=self.operation.pk,
                actor=self.cast.agent(self.agent),
                token=self._token,
                status=answer.status,
                code=answer.code,
                raw=answer.raw,
            )

    def give_up(self, detail: str, *, outcome: str = "unknown", after: float = 5) -> None:
        """The agent says that its attempt ended without a receipt."""
        with self.moment(after):
            end_attempt(
                operation_id=self.operation.pk,
                actor=self.cast.agent(self.agent),
                token=self._token,
                generation=self.now("generation"),
                outcome=outcome,
                detail=detail,
            )

    def dispatch(self, fault: str = "", *, after: float = 1, seconds: float | None = None) -> None:
        """Our own dispatcher sends it, with a fault armed first."""
        if fault:
            self.cast.sandbox.arm(self.operation, fault, seconds=seconds)
        with self.moment(after):
            dispatch_operation(operation_id=self.operation.pk, holder=WORKER)

    def look_up(self, after: float = 30) -> None:
        """The reconciler asks, where that is due and the receiver can be asked."""
        with self.moment(after):
            reconcile_operation(operation_id=self.operation.pk, holder=WORKER)

    def receive(self, value: dict[str, Any], *, after: float = 3) -> None:
        """The receiver itself says something, in a signed webhook."""
        with self.moment(after):
            deliver(self.receiver, self.environment, value)

    def told(self, value: dict[str, Any]) -> Answer:
        """An answer that reached the agent by another road than our sandbox."""
        return Answer(status=200, raw=dumps(value).encode())

    def record_number(self) -> str:
        """A number under which a supplier would keep this; the same in every seed."""
        digest = hashlib.sha256(f"{self.environment} {self.request.key}".encode()).digest()
        return f"SO-{int.from_bytes(digest[:4]) % 900_000 + 100_000}"

    def receipt(self, **given: Any) -> dict[str, Any]:
        """The receipt that matches this operation, with `given` on top."""
        return {
            "operation_id": self.request.key,
            "payload": parse_json(self.request.payload_text),
            "status": "confirmed",
            "environment": self.environment,
            **given,
        }
