"""What a sender tells the console after its attempt, repeated until it is told."""

from typing import TYPE_CHECKING, Any

from opsconsole.client_errors import ApiProblem, Refused, ReportPending
from opsconsole.client_json import dumps

if TYPE_CHECKING:
    from opsconsole.client_transport import Transport

LONGEST_DETAIL = 4_000
LONGEST_RAW = 200_000
# An interrupted process should end soon; what it could not tell, a lookup finds out.
INTERRUPTED_SECONDS = 5.0
# The console has judged and kept such a report; sending it again would change nothing.
KEPT = ("stale_claim", "receipt_mismatch")
# The console can't read what the receiver gave: it is told the text instead.
UNREADABLE = (400, 413, 422)


class Reports:
    """The reports of one attempt, under the token that it was marked with."""

    def __init__(
        self,
        transport: "Transport",
        *,
        operation_id: str,
        token: int | None,
        generation: int,
        repeat_seconds: float,
    ) -> None:
        self._transport, self._token, self._generation = transport, token, generation
        self._path = f"/operations/{operation_id}"
        self._repeat_seconds = repeat_seconds
        self.operation: dict[str, Any] | None = None
        self.verdict: str | None = None

    def receipt(self, receipt: Any) -> None:
        """Report a receipt. Raises ReportPending, or ApiProblem when it proves nothing."""
        body = {"token": self._token, "receipt": receipt}
        try:
            dumps(receipt)
        except (TypeError, ValueError) as error:
            self.unknown(error, raw=repr(receipt))
            raise
        try:
            self._tell(f"{self._path}/receipts", body, self._repeat_seconds)
        except ApiProblem as problem:
            if problem.code in KEPT:
                self._learn(problem.members)
                raise
            if problem.status in UNREADABLE:
                self.unknown(problem, raw=dumps(receipt))
                raise
            raise self._pending("receipts", body, receipt) from problem

    def refused(self, refusal: Refused) -> None:
        """Report the receiver's no, and note on it what the console made of it."""
        body = {
            "token": self._token,
            "status": refusal.status if refusal.status in range(100, 600) else None,
            "code": refusal.code and str(refusal.code)[:LONGEST_DETAIL],
            "raw": _text(refusal.raw),
        }
        try:
            self._tell(f"{self._path}/refusals", body, self._repeat_seconds)
        except ApiProblem as problem:
            if problem.code not in KEPT:
                raise self._pending("refusals", body, None) from problem
            self._learn(problem.members)
        refusal.verdict, refusal.operation = self.verdict, self.operation

    def unknown(self, error: BaseException, *, raw: str = "") -> None:
        """Report that nobody knows how the attempt ended. The error goes its way in any case."""
        is_calm = isinstance(error, Exception)
        seconds = self._repeat_seconds if is_calm else INTERRUPTED_SECONDS
        detail = f"{type(error).__name__}: {error}"
        try:
            self._end("unknown", detail, raw=raw, seconds=min(seconds, self._repeat_seconds))
        except ApiProblem as problem:
            error.add_note(f"The console could not be told that the outcome is unknown: {problem}")

    def not_sent(self, detail: str) -> None:
        """Report that the call never left. Raises ApiProblem."""
        self._end("not_sent", detail, raw="", seconds=self._repeat_seconds)

    def _end(self, outcome: str, detail: str, *, raw: str, seconds: float) -> None:
        body = {
            "token": self._token,
            "outcome": outcome,
            "detail": detail[:LONGEST_DETAIL],
            "raw": _text(raw),
        }
        self._tell(f"{self._path}/attempts/{self._generation}/end", body, seconds)

    def _tell(self, path: str, body: dict[str, Any], seconds: float) -> None:
        self._learn(self._transport.call("POST", path, body, repeat_seconds=seconds))

    def _learn(self, answer: dict[str, Any]) -> None:
        self.operation = answer.get("operation") or self.operation
        self.verdict = answer.get("verdict") or self.verdict

    def _pending(self, name: str, body: dict[str, Any], receipt: Any) -> ReportPending:
        return ReportPending(receipt, report={"path": f"{self._path}/{name}", "body": body})


def _text(raw: str | bytes) -> str:
    text = raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw
    return text[:LONGEST_RAW]
