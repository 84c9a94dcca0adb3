"""One request to the console, repeated only where repeating is safe."""

import random
import time
import weakref
from typing import Any
from urllib.parse import urlsplit

import httpx

from opsconsole.client_errors import ApiProblem
from opsconsole.client_json import dumps, loads

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0


class Transport:
    """Speaks JSON with the console's API. Follows no redirect and hides no failure."""

    def __init__(
        self, url: str, token: str, *, timeout_seconds: float, http: httpx.Client | None = None
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"url: expected http:// or https://, got {url!r}")
        self._base = f"{url.rstrip('/')}/api/v1"
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._timeout_seconds = timeout_seconds
        self._owns_http = http is None
        self._http = http or httpx.Client(follow_redirects=False)
        if self._owns_http:
            # `OpsConsole(…).effect(…)` leaves nobody who would close it.
            weakref.finalize(self, self._http.close)

    def close(self) -> None:
        """Close the connections that were opened here."""
        if self._owns_http:
            self._http.close()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: dict[str, str] | None = None,
        repeat_seconds: float = 0,
        answers_within: float = 0,
    ) -> dict[str, Any]:
        """The answer's object. Raises ApiProblem for anything that is no success.

        While `repeat_seconds` last, a request without a usable answer is sent again: give them
        only where a second one does no harm. `answers_within` is how long the console may take
        beyond the usual.
        """
        content = None if body is None else dumps(body)
        ends_at = time.monotonic() + repeat_seconds
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                return self._once(method, path, content, params, answers_within)
            except ApiProblem as problem:
                wait = max(pause * random.uniform(0.5, 1), _retry_after(problem))  # noqa: S311
                if not problem.is_transient or time.monotonic() + wait > ends_at:
                    raise
            time.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _once(
        self,
        method: str,
        path: str,
        content: str | None,
        params: dict[str, str] | None,
        answers_within: float,
    ) -> dict[str, Any]:
        headers = dict(self._headers)
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            response = self._http.request(
                method,
                self._base + path,
                content=content,
                params=params,
                headers=headers,
                timeout=self._timeout_seconds + answers_within,
                follow_redirects=False,
            )
        except httpx.HTTPError as error:
            raise ApiProblem(
                code="unreachable",
                detail=f"The console gave no answer: {type(error).__name__} {error}".strip(),
                remedy="Observe before you act. After a failed mark do not send.",
            ) from error
        return _value(response)


def _value(response: httpx.Response) -> dict[str, Any]:
    try:
        value = loads(response.content)
    except ValueError:
        value = None
    if response.is_success and isinstance(value, dict):
        return value
    members = value if isinstance(value, dict) else {}
    retry_after = response.headers.get("Retry-After", "")
    if retry_after.isdigit():
        members.setdefault("retry_after_seconds", int(retry_after))
    detail = f"expected a JSON answer of the console, got status {response.status_code}"
    raise ApiProblem(
        code=str(members.get("code", "unexpected_answer")),
        detail=str(members.get("detail", detail)),
        remedy=str(members.get("remedy", "Check the console's address.")),
        # A success that can't be read is as good as no answer.
        status=0 if response.is_success else response.status_code,
        members=members,
    )


def _retry_after(problem: ApiProblem) -> float:
    seconds = problem.members.get("retry_after_seconds", 0)
    return float(seconds) if isinstance(seconds, int | float) else 0.0
