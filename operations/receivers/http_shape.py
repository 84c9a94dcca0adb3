"""How a JSON API is spoken to: what `[receivers.NAME.http]` says, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from operations.protocol.json_values import JSON, MISSING, Missing
from operations.protocol.states import ReceiptStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """The call that makes the effect. Its texts have places, which http_template fills.

    `url` stands below the receiver's base URL. `body` is a JSON value whose texts may be places.
    """

    url: str
    body: JSON
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    idempotency_header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordShape:
    """Where in one record of the receiver's the parts of a receipt stand (JSON pointers).

    `payload` is where the whole payload stands; without it `fields` maps payload pointers to
    record pointers. `statuses` says what each value at `status` means; without `status` every
    record there is means confirmed. `environments` gives the receiver's word for each of ours.
    """

    key: str
    effect_id: str
    payload: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    status: str | None = None
    statuses: tuple[tuple[JSON, ReceiptStatus], ...] = ()
    environment: str | None = None
    environments: Mapping[str, JSON] = field(default_factory=dict)
    occurred_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    """Where the record stands in an answer, and which members the answer must have besides."""

    record: str = ""
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFoundShape:
    """The exact not-found answer: its status with its whole body, or with these members."""

    status: int
    body: JSON | Missing = MISSING
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectLookup:
    """One GET for one record."""

    url: str
    answer: AnswerShape
    not_found: NotFoundShape


class PagesBy(StrEnum):
    """How one page of a list leads to the next."""

    NOTHING = "nothing"  # there is one page
    NUMBER = "number"
    CURSOR = "cursor"
    LINK = "link"
    LINK_HEADER = "link_header"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesShape:
    """How pages follow each other and how their end is told (JSON pointers into the answer).

    `next` is where the next cursor or link stands; `last_item` where, in a page's last item, the
    cursor stands instead. `parameter` is the query parameter of a number or cursor.
    `missing_next_ends`: a page without any member at `next` is the last one.
    """

    by: PagesBy = PagesBy.NOTHING
    parameter: str = ""
    first: int = 1
    next: str | None = None
    last_item: str | None = None
    has_more: str | None = None
    total: str | None = None
    total_pages: str | None = None
    missing_next_ends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLookup:
    """A list, searched for the key up to `search_limit` records.

    `key_may_be_missing`: a record without any member at the key's place is somebody else's.
    """

    url: str
    items: str
    search_limit: int
    pages: PagesShape = PagesShape()
    members: Mapping[str, JSON] = field(default_factory=dict)
    key_may_be_missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpShape:
    """All of it. `error_code` is where a refusing answer has the receiver's own code."""

    call: CallShape
    record: RecordShape
    answer: AnswerShape = AnswerShape()
    error_code: str | None = None
    lookup: DirectLookup | ListLookup | None = None
