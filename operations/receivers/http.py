"""The http receiver: any JSON API that a configuration can describe."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from operations.protocol.json_values import MISSING
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.refusals import InvalidField
from operations.receivers.addresses import check_base_url, is_below
from operations.receivers.answers import read_json, read_retry_after
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
from operations.receivers.deadline import Deadline
from operations.receivers.http_call import HttpAnswer, call_once
from operations.receivers.http_mistakes import config_mistakes
from operations.receivers.http_record import error_code, is_not_found, receipt_value, record_in
from operations.receivers.http_search import Search
from operations.receivers.http_shape import DirectLookup, HttpShape
from operations.receivers.http_template import (
    CREDENTIAL,
    IDEMPOTENCY_KEY,
    Filling,
    fill_body,
    fill_text,
    fill_url,
    places_in,
)

JSON_TYPE = "application/json"


def build(config: ReceiverConfig) -> "HttpReceiver":
    """The connector for this configuration. Raises ConfigMistake."""
    shape = config.settings
    if not isinstance(shape, HttpShape):
        raise ConfigMistake(field_name="http", expected="its table", got="nothing")
    base_url = check_base_url(config.base_url)
    for flaw in config_mistakes(replace(config, base_url=base_url), shape):
        raise ConfigMistake(field_name=flaw.field, expected=flaw.expected, got=flaw.got)
    return HttpReceiver(
        base_url=base_url,
        environment=config.environment,
        shape=shape,
        credentials=dict(config.credentials),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReceiver:
    """A `Receiver` over the JSON API that `shape` describes."""

    base_url: str
    environment: str
    shape: HttpShape
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)

    def render(
        self, *, key: str, idempotency_key: str, payload_text: str, environment: str
    ) -> Request:
        """The configured call, without what is secret. Raises InvalidPayload."""
        self._check(environment)
        call = self.shape.call
        texts = {"key": key, "environment": environment, IDEMPOTENCY_KEY: idempotency_key}
        headers = {"Content-Type": JSON_TYPE, **self._open_headers(texts)}
        if call.idempotency_header:
            headers[call.idempotency_header] = idempotency_key
        body = fill_body(call.body, Filling(texts=texts, payload_text=payload_text))
        return Request(
            method=call.method,
            url=self.base_url + fill_url(call.url, texts),
            headers=_last_of_each_name(headers),
            body=body.encode(),
        )

    def send(self, request: Request, *, deadline_seconds: float) -> Outcome:
        """Make the call once, with the credentials."""
        if not is_below(request.url, self.base_url):
            detail = f"the request is for {request.url}, which is not below {self.base_url}"
            return NoAnswer(detail=detail, sent=False)
        answer = call_once(self._authorized(request), deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return answer
        body = read_json(answer.raw)
        is_success = 200 <= answer.status <= 299
        record = record_in(body, self.shape.answer) if is_success else MISSING
        code = None if answer.status < 400 else error_code(body, self.shape.error_code)
        return Answered(
            status=answer.status,
            headers=answer.headers,
            raw=answer.raw,
            receipt=receipt_value(record, self.shape.record),
            refusal_code=code,
        )

    def look_up(self, key: str, *, environment: str, deadline_seconds: float) -> Observation:
        """Ask for the record, or search the list for it, within one deadline for all of it."""
        self._check(environment)
        lookup = self.shape.lookup
        if lookup is None:
            return CouldNotAsk(detail="no lookup is configured for this receiver.")
        deadline = Deadline.within(deadline_seconds)
        texts = {"key": key, "environment": environment}
        url = self.base_url + fill_url(lookup.url, texts)
        if isinstance(lookup, DirectLookup):
            return self._observed(self._get(url, texts, deadline), lookup, texts)
        return Search(
            ask=lambda page_url: self._get(page_url, texts, deadline),
            lookup=lookup,
            record=self.shape.record,
            key=key,
            first_url=url,
            base_url=self.base_url,
        ).run()

    def _get(self, url: str, texts: Mapping[str, str], deadline: Deadline) -> HttpAnswer | NoAnswer:
        headers = _last_of_each_name({"Accept": JSON_TYPE, **self._open_headers(texts)})
        request = Request(method="GET", url=url, headers=headers, body=b"")
        left = deadline.seconds_left()
        return call_once(self._authorized(request), deadline_seconds=left)

    def _observed(
        self, answer: HttpAnswer | NoAnswer, lookup: DirectLookup, texts: Mapping[str, str]
    ) -> Observation:
        if isinstance(answer, NoAnswer):
            return CouldNotAsk(detail=answer.detail, status=answer.status, raw=answer.raw)
        if is_not_found(answer, lookup.not_found, texts):
            return NotFound(raw=answer.raw, status=answer.status)
        why = f"expected a record or the not-found answer, got status {answer.status}"
        if answer.status == 200:
            record = record_in(read_json(answer.raw), lookup.answer)
            value = receipt_value(record, self.shape.record)
            try:
                if value is not None:
                    parse_receipt(value)
                    return Found(receipt_value=value, raw=answer.raw, status=answer.status)
            except InvalidReceipt as invalid:
                why = str(invalid)
        return CouldNotAsk(
            detail=why,
            status=answer.status,
            raw=answer.raw,
            retry_after_seconds=read_retry_after(answer.headers),
        )

    def _open_headers(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The headers without secrets, those for which all is known: a lookup has no write key."""
        found = {}
        for name, template in self.shape.call.headers.items():
            if places_in(template) <= set(texts):
                found[name] = fill_text(template, texts)
                if found[name] != found[name].strip():
                    got = "blanks around it"
                    raise InvalidField(field="key", expected=f"a text for {name}", got=got)
        return found

    def _authorized(self, request: Request) -> Request:
        """The request with the headers that carry credentials."""
        texts = {f"{CREDENTIAL}{name}": secret for name, secret in self.credentials.items()}
        secret_headers = {
            name: fill_text(template, {**texts, "environment": self.environment})
            for name, template in self.shape.call.headers.items()
            if any(place.startswith(CREDENTIAL) for place in places_in(template))
        }
        return replace(request, headers={**request.headers, **secret_headers})

    def _check(self, environment: str) -> None:
        if environment != self.environment:
            raise ValueError(f"expected environment {self.environment}, got {environment}")


def _last_of_each_name(headers: Mapping[str, str]) -> dict[str, str]:
    """Header names count without case; what is configured takes the place of what is usual."""
    by_name = {name.lower(): (name, value) for name, value in headers.items()}
    return dict(by_name.values())
