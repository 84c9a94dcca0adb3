"""Stripe's own package, over our transport: it words the calls and reads the answers.

It never opens a connection itself, so its retries, its proxies and its telemetry have no part in
what is sent.
"""

import logging
from collections.abc import Mapping
from typing import Any, NoReturn, override

import stripe

from operations.receivers.base import NoAnswer, Request
from operations.receivers.deadline import Deadline
from operations.receivers.http_call import HttpAnswer, call_once
from operations.receivers.stripe_words import PUBLIC_BASE

# Its telemetry keeps an id in the home directory of whoever runs the process.
stripe.enable_telemetry = False
# It would log a request where one is only worded or an answer read again, with whose payment it is.
logging.getLogger("stripe").setLevel(logging.WARNING)

# The version whose objects are read here; an account's own default may be any other.
API_VERSION = "2026-10-28.endive"
AGENT = "opsconsole"
# What of the package's headers is sent. The others tell about this machine.
_SENT_HEADERS = ("Content-Type", "Idempotency-Key", "Stripe-Version")
_NO_KEY = "rendered-without-a-key"


class Unanswered(Exception):
    """No whole answer came to a question."""

    def __init__(self, answer: NoAnswer) -> None:
        self.answer = answer
        super().__init__(answer.detail)


class Asker(stripe.HTTPClient):
    """Makes each call of the package once, all of them under one deadline.

    `answer` is the latest one.
    """

    name = AGENT

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self.deadline = deadline
        self.answer: HttpAnswer | None = None

    @override
    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        """Call once; raises Unanswered."""
        request = worded(method, url, headers or {}, post_data)
        authorization = (headers or {})["Authorization"]
        answer = call_once(
            authorized(request, authorization), deadline_seconds=self.deadline.seconds_left()
        )
        if isinstance(answer, NoAnswer):
            raise Unanswered(answer)
        self.answer = answer
        return _as_text(answer), answer.status, answer.headers


def client(base_url: str, api_key: str, transport: stripe.HTTPClient) -> stripe.StripeClient:
    """The package's client over one of our transports, without its retries."""
    return stripe.StripeClient(
        api_key,
        stripe_version=API_VERSION,
        base_addresses={"api": base_url},
        max_network_retries=0,
        http_client=transport,
    )


class _Rendered(Exception):
    """How a request comes out of the package before anything is sent."""

    def __init__(self, request: Request) -> None:
        self.request = request
        super().__init__(request.url)


class _Renderer(stripe.HTTPClient):
    name = AGENT

    @override
    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,
        *,
        _usage: list[str] | None = None,
    ) -> NoReturn:
        raise _Rendered(worded(method, url, headers or {}, post_data))


def render(base_url: str, path: str, params: Mapping[str, Any], *, idempotency_key: str) -> Request:
    """The POST that the package would make, without credentials; the same each time."""
    try:
        client(base_url, _NO_KEY, _Renderer()).raw_request(
            "post", path, idempotency_key=idempotency_key, **params
        )
    except _Rendered as rendered:
        return rendered.request
    raise AssertionError("expected the package to make one call, got none")


class _Replayer(stripe.HTTPClient):
    name = AGENT

    def __init__(self, answer: HttpAnswer) -> None:
        super().__init__()
        self.answer = answer

    @override
    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        return _as_text(self.answer), self.answer.status, self.answer.headers


def replay(answer: HttpAnswer) -> None:
    """Let the package read an answer that came; raises its own StripeError for an error."""
    client(PUBLIC_BASE, _NO_KEY, _Replayer(answer)).raw_request("get", "/v1/answer")


def worded(method: str, url: str, headers: Mapping[str, str], post_data: object) -> Request:
    """A call of the package as a request of ours, without what only the package needs."""
    kept = {name: headers[name] for name in _SENT_HEADERS if name in headers}
    return Request(
        method=method.upper(),
        url=url,
        headers={**kept, "Accept": "application/json", "User-Agent": AGENT},
        body=str(post_data or "").encode("ascii"),
    )


def authorized(request: Request, authorization: str) -> Request:
    """The request with the header that carries the API key."""
    return Request(
        method=request.method,
        url=request.url,
        headers={**request.headers, "Authorization": authorization},
        body=request.body,
    )


def _as_text(answer: HttpAnswer) -> str:
    # The package reads text; bytes that are none make an answer that it can't read.
    return answer.raw.decode("utf-8", errors="replace")
