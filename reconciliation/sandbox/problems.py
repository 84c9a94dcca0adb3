"""A request that is not carried out, as an answer with a code and a sentence."""

from typing import Self


class Problem(Exception):
    """Ends a request with `{"error": {"code", "detail"}}` under an HTTP status."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail

    @classmethod
    def bad_request(cls, code: str, detail: str) -> Self:
        """A 400."""
        return cls(400, code, detail)
