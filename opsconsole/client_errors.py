"""What the client raises: answers of the console, and reasons not to send."""

from typing import Any

# Nothing is wrong with the request itself: the same one may be sent again later.
TRANSIENT = frozenset({429, 500, 502, 503, 504})


class ApiProblem(Exception):
    """A problem document, or no usable answer at all (`status` 0, code `unreachable`).

    `members` is the whole document; `operation`, the current record, is there for its owner.
    """

    def __init__(
        self, *, code: str, detail: str, remedy: str = "", status: int = 0, members: Any = None
    ) -> None:
        self.code, self.detail, self.remedy, self.status = code, detail, remedy, status
        self.members: dict[str, Any] = members if isinstance(members, dict) else {}
        self.operation: dict[str, Any] | None = self.members.get("operation")
        self.differences: list[dict[str, Any]] = self.members.get("differences", [])
        self.field: str | None = self.members.get("field")
        super().__init__(f"{code}: {detail} {remedy}".strip())

    @property
    def is_transient(self) -> bool:
        """Whether the console may answer the same request otherwise in a while."""
        return self.status == 0 or self.status in TRANSIENT


class NotSendable(Exception):
    """Nothing was sent by this call. `next_action` is what the console says to do instead."""

    def __init__(self, operation: dict[str, Any], next_action: dict[str, Any]) -> None:
        self.operation, self.next_action = operation, next_action
        words = f"{next_action.get('sentence', '')} {next_action.get('remedy', '')}"
        super().__init__(f"{operation.get('key')} is {operation.get('state')}: {words}".strip())


class Refused(Exception):
    """Raise it in the function given to `send` when the receiver answered with its own no.

    `status` is the HTTP status, `code` the receiver's error code, `raw` the answer as it came.
    It is raised again once it is reported, with the console's `verdict` and `operation`.
    """

    def __init__(
        self, status: int | None = None, code: str | None = None, raw: str | bytes = ""
    ) -> None:
        self.status, self.code, self.raw = status, code, raw
        self.verdict: str | None = None
        self.operation: dict[str, Any] | None = None
        super().__init__(f"the receiver refused: {status or ''} {code or ''}".strip())


class ReportPending(Exception):
    """The send is done, and the console could not be told. Keep it, and deliver it later.

    `report` is plain JSON: `OpsConsole.deliver(report)` repeats it, from any process, at any time.
    """

    def __init__(self, receipt: Any, *, report: dict[str, Any]) -> None:
        self.receipt, self.report = receipt, report
        super().__init__(
            "the console could not be told what the receiver answered; keep `report` and "
            "deliver it later. Do not send again."
        )
