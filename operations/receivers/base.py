"""What every connector promises: render, send once, look up; and the words for what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from operations.protocol.payloads import JSON
from operations.protocol.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifySample:
    """Two payloads (exact JSON) that a sandbox account may be probed with."""

    payload: str
    other_payload: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverConfig:
    """One receiver as configured for one environment. Secrets never show in a repr.

    `settings` is what its connector alone is told, as that connector's own frozen class.
    `certify` is None where it may not be probed: everywhere but at a sandbox account.
    """

    name: str
    environment: str
    profile: Profile
    base_url: str = ""
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    webhook_secret: str = field(default="", repr=False)
    settings: object = field(default=None, repr=False)
    certify: CertifySample | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call, as bytes. Headers hold no credentials: `send` adds those of the configuration."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The receiver answered, whole. Nothing is judged yet.

    `raw` is the body as it came. `receipt` is the JSON object of a 2xx answer, else None;
    `refusal_code` is the receiver's own error code in a 4xx or 5xx answer, else None.
    """

    status: int
    headers: Mapping[str, str]
    raw: bytes
    receipt: JSON = None
    refusal_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """No whole answer came: whether the effect happened is unknown, unless nothing was sent.

    `sent` False: no byte of the request left this process. True: all of it did. None: some did.
    `status` and `raw` are what there was of an answer that broke off or was too long.
    """

    detail: str
    sent: bool | None
    status: int | None = None
    raw: bytes = b""


type Outcome = Answered | NoAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The receiver has a record under the key. `receipt_value` parses as a receipt.

    `also` are the receipts of further effects under the same key, where one answer shows several.
    """

    receipt_value: JSON
    raw: bytes
    status: int
    also: tuple[JSON, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """The receiver's exact not-found answer, and no other (rule 5)."""

    raw: bytes
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CouldNotAsk:
    """Anything else: it says nothing about the effect (rule 5).

    `is_ours`: a mistake or a limit of our own kept us from knowing; the receiver did not fail.
    """

    detail: str
    status: int | None = None
    raw: bytes = b""
    retry_after_seconds: int | None = None
    is_ours: bool = False


type Observation = Found | NotFound | CouldNotAsk


class Receiver(Protocol):
    """A connector to one receiver in one environment. It holds no state between calls."""

    def render(
        self, *, key: str, idempotency_key: str, payload_text: str, environment: str
    ) -> Request:
        """The call that makes the effect, with `payload_text` (exact JSON) inside, byte for byte.

        The same arguments give the same method, URL and body.
        """

    def send(self, request: Request, *, deadline_seconds: float) -> Outcome:
        """Make the call once: no retry, no redirect, over within `deadline_seconds` (rule 9).

        Those count on this process's monotonic clock from the call of this function.
        """

    def look_up(self, key: str, *, environment: str, deadline_seconds: float) -> Observation:
        """Ask what the receiver has under the operation's key. Changes nothing there."""


@runtime_checkable
class Searching(Receiver, Protocol):
    """A connector whose receiver can only list: what it looks for narrows the search."""

    def about(self, *, payload_text: str, registered_at: datetime) -> Receiver:
        """The same connector, which looks only where what this payload made can be."""


class ConfigMistake(Exception):
    """A receiver's configuration that its connector cannot work with."""

    def __init__(self, *, field_name: str, expected: str, got: str) -> None:
        self.field_name, self.expected, self.got = field_name, expected, got
        super().__init__(f"{field_name}: expected {expected}, got {got}.")
