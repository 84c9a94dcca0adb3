"""The sandbox receiver: deduplicates by key, can be looked up by operation key."""

from dataclasses import dataclass

from operations.protocol.payloads import JSON, dumps
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.receivers.addresses import as_segment, check_base_url, is_below
from operations.receivers.answers import read_json_object, read_retry_after
from operations.receivers.base import (
    Answered,
    ConfigMistake,
    CouldNotAsk,
    Found,
    NoAnswer,
    NotFound,
    Observation,
    Outcome,
    ReceiverConfig,
    Request,
)
from operations.receivers.http_call import HttpAnswer, call_once

JSON_TYPE = "application/json"


def build(config: ReceiverConfig) -> "SandboxReceiver":
    """The connector for this configuration. Raises ConfigMistake."""
    if config.credentials:
        got = ", ".join(sorted(config.credentials))
        raise ConfigMistake(field_name="credentials", expected="none", got=got)
    return SandboxReceiver(base_url=check_base_url(config.base_url), environment=config.environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxReceiver:
    """A `Receiver` over the sandbox's HTTP interface."""

    base_url: str
    environment: str

    def render(
        self, *, key: str, idempotency_key: str, payload_text: str, environment: str
    ) -> Request:
        """`POST /orders`."""
        self._check(environment)
        body = f'{{"operation_id":{dumps(key)},"payload":{payload_text}}}'
        headers = {
            "Content-Type": JSON_TYPE,
            "Accept": JSON_TYPE,
            "Environment": environment,
            "Idempotency-Key": idempotency_key,
        }
        return Request(
            method="POST", url=f"{self.base_url}/orders", headers=headers, body=body.encode()
        )

    def send(self, request: Request, *, deadline_seconds: float) -> Outcome:
        """Make the call once."""
        if not is_below(request.url, self.base_url):
            detail = f"the request is for {request.url}, which is not below {self.base_url}"
            return NoAnswer(detail=detail, sent=False)
        answer = call_once(request, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return answer
        body = read_json_object(answer.raw)
        return Answered(
            status=answer.status,
            headers=answer.headers,
            raw=answer.raw,
            receipt=body if 200 <= answer.status <= 299 else None,
            refusal_code=_error_code(body) if answer.status >= 400 else None,
        )

    def look_up(self, key: str, *, environment: str, deadline_seconds: float) -> Observation:
        """`GET /orders/{key}`."""
        self._check(environment)
        request = Request(
            method="GET",
            url=f"{self.base_url}/orders/{as_segment(key)}",
            headers={"Accept": JSON_TYPE, "Environment": environment},
            body=b"",
        )
        answer = call_once(request, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return CouldNotAsk(detail=answer.detail, status=answer.status, raw=answer.raw)
        return _observation(answer, key)

    def _check(self, environment: str) -> None:
        if environment != self.environment:
            raise ValueError(f"expected environment {self.environment}, got {environment}")


def _observation(answer: HttpAnswer, key: str) -> Observation:
    body = read_json_object(answer.raw)
    if answer.status == 404 and body == {"error": "not_found", "operation_id": key}:
        return NotFound(raw=answer.raw, status=answer.status)
    if answer.status == 200 and body is not None:
        try:
            parse_receipt(body)
        except InvalidReceipt as invalid:
            return _could_not_ask(answer, str(invalid))
        return Found(receipt_value=body, raw=answer.raw, status=answer.status)
    return _could_not_ask(answer, f"expected a receipt or not_found, got status {answer.status}")


def _could_not_ask(answer: HttpAnswer, detail: str) -> CouldNotAsk:
    return CouldNotAsk(
        detail=detail,
        status=answer.status,
        raw=answer.raw,
        retry_after_seconds=read_retry_after(answer.headers),
    )


def _error_code(body: dict[str, JSON] | None) -> str | None:
    error = body.get("error") if body else None
    code = error.get("code") if isinstance(error, dict) else error
    return code if isinstance(code, str) and 0 < len(code) <= 255 else None
