"""The stripe receiver: refunds and payment intents, found again by their metadata."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from operations.protocol.payloads import parse_json
from operations.protocol.refusals import InvalidPayload
from operations.receivers.addresses import check_base_url, is_below
from operations.receivers.answers import read_json_object
from operations.receivers.base import (
    Answered,
    ConfigMistake,
    NoAnswer,
    Observation,
    Outcome,
    ReceiverConfig,
    Request,
)
from operations.receivers.deadline import Deadline
from operations.receivers.http_call import call_once
from operations.receivers.stripe_calls import Asker, authorized, client, render
from operations.receivers.stripe_errors import refusal_code
from operations.receivers.stripe_objects import receipt_value
from operations.receivers.stripe_request import PATHS, filters, parameters
from operations.receivers.stripe_search import Search
from operations.receivers.stripe_settings import (
    StripeSettings,
    profile_mistakes,
    settings_mistakes,
)
from operations.receivers.stripe_words import PUBLIC_BASE

_API_KEY = re.compile(r"(?:sk|rk)_(?:org_)?(live|test)_[A-Za-z0-9_]+", re.ASCII)
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def build(config: ReceiverConfig) -> "StripeReceiver":
    """The connector for this configuration. Raises ConfigMistake."""
    settings = config.settings
    if not isinstance(settings, StripeSettings):
        raise ConfigMistake(field_name="stripe", expected="its table", got="nothing")
    for flaw in (*settings_mistakes(settings), *profile_mistakes(config.profile, settings)):
        raise ConfigMistake(field_name=flaw.field, expected=flaw.expected, got=flaw.got)
    is_live = config.environment in settings.live_environments
    return StripeReceiver(
        base_url=_base_url(config.base_url or PUBLIC_BASE),
        environment=config.environment,
        api_key=_api_key(config, is_live=is_live),
        settings=settings,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeReceiver:
    """A `Receiver` over Stripe's API, worded and read by Stripe's own package.

    `filters` narrow the list that a lookup searches; without any it is the account's whole one.
    """

    base_url: str
    environment: str
    api_key: str = field(repr=False)
    settings: StripeSettings
    filters: Mapping[str, Any] = field(default_factory=dict)

    def about(self, *, payload_text: str, registered_at: datetime) -> "StripeReceiver":
        """The same receiver, which looks only where what this payload made can be.

        That is the list of one payment's refunds, or that of payments since the registration.
        """
        try:
            payload = parse_json(payload_text)
            return replace(self, filters=filters(payload, self.settings, since=registered_at))
        except InvalidPayload:
            return self  # an agent's own: it was sent some other way, so it may be anywhere

    def render(
        self, *, key: str, idempotency_key: str, payload_text: str, environment: str
    ) -> Request:
        """`POST /v1/refunds` or `/v1/payment_intents`. Raises InvalidPayload."""
        self._check(environment)
        asked = parameters(
            parse_json(payload_text), self.settings, key=key, environment=environment
        )
        path = PATHS[self.settings.makes]
        return render(self.base_url, path, asked, idempotency_key=idempotency_key)

    def send(self, request: Request, *, deadline_seconds: float) -> Outcome:
        """Make the call once, with the API key."""
        if not is_below(request.url, self.base_url):
            detail = f"the request is for {request.url}, which is not below {self.base_url}"
            return NoAnswer(detail=detail, sent=False)
        call = authorized(request, f"Bearer {self.api_key}")
        answer = call_once(call, deadline_seconds=deadline_seconds)
        if isinstance(answer, NoAnswer):
            return answer
        made = read_json_object(answer.raw) if 200 <= answer.status <= 299 else None
        return Answered(
            status=answer.status,
            headers=answer.headers,
            raw=answer.raw,
            receipt=receipt_value(made, self.settings, is_live=self._is_live),
            refusal_code=refusal_code(answer),
        )

    def look_up(self, key: str, *, environment: str, deadline_seconds: float) -> Observation:
        """Search the list for an object with this key and environment in its metadata."""
        self._check(environment)
        asker = Asker(Deadline.within(deadline_seconds))
        return Search(
            client=client(self.base_url, self.api_key, asker),
            asker=asker,
            settings=self.settings,
            key=key,
            environment=environment,
            filters=self.filters,
        ).run()

    @property
    def _is_live(self) -> bool:
        return self.environment in self.settings.live_environments

    def _check(self, environment: str) -> None:
        if environment != self.environment:
            raise ValueError(f"expected environment {self.environment}, got {environment}")


def _base_url(url: str) -> str:
    base_url = check_base_url(url)
    parts = urlsplit(base_url)
    if parts.scheme != "https" and parts.hostname not in _THIS_MACHINE:
        expected = "https, since the API key goes there (http only to this machine)"
        raise ConfigMistake(field_name="base_url", expected=expected, got=base_url)
    return base_url


def _api_key(config: ReceiverConfig, *, is_live: bool) -> str:
    """The secret key; its own prefix has to say the mode that the environment is configured for."""
    if set(config.credentials) != {"api_key"}:
        got = ", ".join(sorted(config.credentials)) or "nothing"
        raise ConfigMistake(field_name="credentials", expected="api_key, alone", got=got)
    mode = "live" if is_live else "test"
    key = config.credentials["api_key"]
    match = _API_KEY.fullmatch(key)
    if match is None or match[1] != mode:
        got = f"one of the {match[1]} mode" if match else "another text"
        raise ConfigMistake(
            field_name="credentials", expected=f"a secret key of the {mode} mode", got=got
        )
    return key
