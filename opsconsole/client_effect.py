"""One effect, sent at most once: register, claim, mark, call, report."""

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from opsconsole.client_errors import ApiProblem, NotSendable, Refused
from opsconsole.client_reports import Reports

if TYPE_CHECKING:
    from opsconsole.client import OpsConsole

type Send = Callable[[str, Any, float], Any]

PAUSE_SECONDS = 0.5
RECEIPT_MEMBERS = (
    "operation_id",
    "payload",
    "status",
    "effect_id",
    "environment",
    "occurred_at",
)
SETTLED = ("refused", "not_executed", "cancelled")
TOO_LATE = "The send deadline was over before the call; nothing was sent."
# The console did not say whether it took the mark, and can't be asked either.
UNKNOWN_MARK = {
    "code": "wait_for_settlement",
    "sentence": "The console did not say whether the mark was taken; nothing was sent.",
    "remedy": "Do not send. Register again, and follow the next_action.",
    "opens_at": None,
}


def clock() -> float:
    """Seconds that go on while the machine sleeps, where the system has such a clock."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to hold and to wait, in seconds."""

    lease_seconds: int
    wait_seconds: float
    claim_wait_seconds: float
    report_seconds: float


class Effect:
    """At most one call of the receiver per generation, whatever happens to this process.

    `operation` is the record as it was read last; `token` and `generation` are those of the
    attempt once it is marked.
    """

    def __init__(self, console: "OpsConsole", request: dict[str, Any], patience: Patience) -> None:
        self._console, self._request, self._patience = console, request, patience
        self.operation: dict[str, Any] = {}
        self.token: int | None = None
        self.generation: int | None = None
        self.verdict: str | None = None
        self._is_fresh = False

    def __enter__(self) -> Self:
        self._register()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._give_back()

    def send(self, fn: Send) -> Any:
        """The receipt: of `fn(idempotency_key, payload, timeout_seconds)`, called at most once.

        An operation that is confirmed already returns its stored receipt and calls nothing.
        Raises NotSendable (not called), Refused (reported), ReportPending (called, not reported),
        ApiProblem (mismatching or late receipt, kept by the console), or what `fn` raised.
        """
        if not self._is_fresh:
            self._register()
        self._is_fresh = False
        if not self._is_claimed():
            return stored_receipt(self._console.get(self.operation["id"]))
        # From before the request: the console's deadline begins when it commits, which is later.
        started_at = clock()
        attempt = self._mark()
        reports = self._reports(attempt["generation"])
        try:
            return self._call(fn, attempt, started_at + attempt["send_within_seconds"], reports)
        finally:
            self.verdict = reports.verdict
            self.operation = reports.operation or self.operation

    def wait(self, seconds: float) -> dict[str, Any]:
        """Observe until the version changes or the time is over; returns the operation."""
        self.operation = self._console.get(
            self.operation["id"], wait_seconds=seconds, version=self.operation["version"]
        )
        return self.operation

    def _register(self) -> None:
        self.operation = self._console.register(**self._request)
        self._is_fresh = True

    def _is_claimed(self) -> bool:
        """True once the claim is ours, False when it is confirmed; else raises NotSendable."""
        now = clock()
        waits_until = now + self._patience.wait_seconds
        claim_until = now + self._patience.claim_wait_seconds
        has_asked = False
        while self.operation["state"] != "confirmed":
            if self.operation["next_action"]["code"] == "claim":
                if self._claim():
                    return True
                self._pause(claim_until)
                continue
            if self.operation["state"] == "sent_unknown" and not has_asked:
                has_asked = True
                self._ask_for_lookup()
            if self.operation["state"] in SETTLED:
                raise self._not_sendable()
            self._observe(waits_until)
        return False

    def _claim(self) -> bool:
        if self.operation["claim"] is not None:
            return False
        body = {
            "holder": self._console.holder,
            "version": self.operation["version"],
            "lease_seconds": self._patience.lease_seconds,
            "nonce": uuid.uuid4().hex,  # so that the same request again is the same claim
        }
        path = f"/operations/{self.operation['id']}/claims"
        try:
            claim = self._console.transport.call(
                "POST", path, body, repeat_seconds=self._console.repeat_seconds
            )
        except ApiProblem as problem:
            if problem.status != 409:
                raise
            return False
        self.token, self.operation = claim["token"], claim["operation"]
        return True

    def _pause(self, until: float) -> None:
        """Wait for another's claim to end, or our own from before a crash; then look again."""
        left = until - clock()
        if left <= 0:
            raise self._not_sendable()
        time.sleep(min(PAUSE_SECONDS, left))
        self.operation = self._console.get(self.operation["id"])

    def _observe(self, until: float) -> None:
        left = until - clock()
        if left <= 0:
            raise self._not_sendable()
        if left < 1:  # the console counts whole seconds
            time.sleep(left)
        try:
            self.wait(left)
        except ApiProblem as problem:  # too many wait there already, or it is away for a while
            if not problem.is_transient:
                raise
            time.sleep(min(PAUSE_SECONDS, max(0, until - clock())))

    def _ask_for_lookup(self) -> None:
        try:
            self.operation = self._console.lookup(self.operation["id"])
        except ApiProblem as problem:
            if problem.status != 409:  # 409: no lookup there, or settled meanwhile
                raise
            self.operation = self._console.get(self.operation["id"])

    def _mark(self) -> dict[str, Any]:
        """Once, never again: any answer but 201, and none at all, means that nothing is sent."""
        path = f"/operations/{self.operation['id']}/attempts"
        body = {"token": self.token, "nonce": uuid.uuid4().hex}
        try:
            attempt = self._console.transport.call("POST", path, body)
        except ApiProblem as problem:
            if problem.is_transient:
                raise self._after_unknown_mark() from problem
            self._give_back()
            self.operation = problem.operation or self._console.get(self.operation["id"])
            raise self._not_sendable() from problem
        except BaseException:
            self._after_unknown_mark()
            raise
        self.generation = attempt["generation"]
        return attempt

    def _after_unknown_mark(self) -> NotSendable:
        """Nothing was sent; where the mark was taken after all, say so."""
        try:
            self.operation = self._console.get(self.operation["id"])
            taken = [each for each in self.operation["attempts"] if each["token"] == self.token]
            if not taken:
                return NotSendable(self.operation, UNKNOWN_MARK)
            self._reports(taken[0]["generation"]).not_sent("The answer to the mark was lost.")
            self.operation = self._console.get(self.operation["id"])
        except ApiProblem:
            return NotSendable(self.operation, UNKNOWN_MARK)
        return self._not_sendable()

    def _call(self, fn: Send, attempt: dict[str, Any], deadline: float, reports: Reports) -> Any:
        key, payload = attempt["idempotency_key"], attempt["payload"]
        try:
            left = deadline - clock()
            receipt = fn(key, payload, left) if left > 0 else None
        except Refused as refusal:
            reports.refused(refusal)
            raise
        except BaseException as error:
            reports.unknown(error)
            raise
        if left <= 0:
            raise self._too_late(reports)
        reports.receipt(receipt)
        return receipt

    def _too_late(self, reports: Reports) -> NotSendable:
        """Nothing was called. The console is told so, if it can be; it keeps a stale report too."""
        with suppress(ApiProblem):
            reports.not_sent(TOO_LATE)
        try:
            self.operation = self._console.get(self.operation["id"])
        except ApiProblem:
            return NotSendable(self.operation, UNKNOWN_MARK | {"sentence": TOO_LATE})
        return self._not_sendable()

    def _reports(self, generation: int) -> Reports:
        return Reports(
            self._console.transport,
            operation_id=self.operation["id"],
            token=self.token,
            generation=generation,
            repeat_seconds=self._patience.report_seconds,
        )

    def _give_back(self) -> None:
        """Free a claim that was not marked, so that the next start need not wait for its end."""
        if self.token is None or self.generation is not None:
            return
        path = f"/operations/{self.operation['id']}/claims/{self.token}"
        self.token = None
        # Best effort: a claim ends by itself.
        with suppress(ApiProblem):
            self._console.transport.call("DELETE", path)

    def _not_sendable(self) -> NotSendable:
        return NotSendable(self.operation, self.operation["next_action"])


def stored_receipt(detail: dict[str, Any]) -> dict[str, Any]:
    """The receipt that confirmed the operation, in the form of the contract."""
    effect_id = detail.get("effect_id")
    of_effect = [each for each in detail["receipts"] if each["effect_id"] == effect_id]
    by_worth = sorted(of_effect, key=lambda each: each["verdict"] != "confirmed")
    kept = by_worth[0] if by_worth else {"payload": detail["payload"], "effect_id": effect_id}
    receipt = {"operation_id": detail["key"], "status": "confirmed", **kept}
    return {name: receipt[name] for name in RECEIPT_MEMBERS if receipt.get(name) is not None}
