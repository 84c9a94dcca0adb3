"""Looking for an operation's records in a list: the whole of it, or no word of it (rule 5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from operations.protocol.json_values import JSON, MISSING
from operations.protocol.payloads import canonical_bytes, resolve
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.states import ReceiptStatus
from operations.receivers.answers import read_json, read_retry_after
from operations.receivers.base import CouldNotAsk, Found, NoAnswer, NotFound, Observation
from operations.receivers.http_call import HttpAnswer
from operations.receivers.http_pages import NotWhole, Pages, Unclear
from operations.receivers.http_record import effect_id, has_members, receipt_value
from operations.receivers.http_shape import ListLookup, RecordShape

# A word of an effect comes before one that denies it, so that an effect is never overlooked.
_ORDER = (ReceiptStatus.CONFIRMED, ReceiptStatus.PENDING, ReceiptStatus.REFUSED)


@dataclass(kw_only=True)
class Search:
    """One search of a list for `key`. `ask` makes one GET within what is left of the deadline.

    It reads on after a find, so that a second effect under the key is seen as well.
    """

    ask: Callable[[str], HttpAnswer | NoAnswer]
    lookup: ListLookup
    record: RecordShape
    key: str
    first_url: str
    base_url: str
    _seen: set[str] = field(default_factory=set)
    _mine: list[dict[str, JSON]] = field(default_factory=list)
    _found_in: list[HttpAnswer] = field(default_factory=list)
    _latest: HttpAnswer | NoAnswer | None = None

    def run(self) -> Observation:
        """NotFound only after the whole list; CouldNotAsk says how many records were searched."""
        try:
            self._read_all()
        except Unclear as unclear:
            if not self._mine:
                is_ours = isinstance(unclear, NotWhole)
                return self._could_not_ask(str(unclear), is_ours=is_ours)
        if self._mine:
            return self._found()
        answer = self._latest
        if not isinstance(answer, HttpAnswer):  # no page was read
            return self._could_not_ask("nothing was asked")
        return NotFound(raw=answer.raw, status=answer.status)

    def _read_all(self) -> None:
        pages = Pages(self.lookup.pages, first_url=self.first_url, base_url=self.base_url)
        while pages.url is not None:
            if len(self._seen) >= self.lookup.search_limit:
                raise NotWhole("the list goes on")
            answer, body = self._page(pages.url)
            items = resolve(body, self.lookup.items)
            if not isinstance(items, list):
                raise Unclear(f"expected a list of records at {self.lookup.items or 'the top'}")
            for record in items:
                self._take(record, answer)
            pages.turn(answer, body, items, seen=len(self._seen))

    def _page(self, url: str) -> tuple[HttpAnswer, JSON]:
        self._latest = answer = self.ask(url)
        if isinstance(answer, NoAnswer):
            raise Unclear(answer.detail)
        body = read_json(answer.raw)
        if answer.status != 200 or not has_members(body, self.lookup.members):
            raise Unclear(f"expected a page of the list, got status {answer.status}")
        return answer, body

    def _take(self, record: JSON, answer: HttpAnswer) -> None:
        if not isinstance(record, Mapping):
            raise Unclear("expected a list of records, got something else in it")
        name = _name(record, self.record)
        if name in self._seen:
            raise NotWhole("the list moved: a record came twice")
        self._seen.add(name)
        key = resolve(record, self.record.key)
        if key is MISSING and not self.lookup.key_may_be_missing:
            raise Unclear(f"expected each record to have {self.record.key}, got one without")
        if not (key is MISSING or key is None or isinstance(key, str)):
            # A key that was turned into something else would never be found.
            raise Unclear(f"expected text or null at {self.record.key}, got something else")
        if key == self.key:
            value = receipt_value(record, self.record)
            assert value is not None
            self._mine.append(value)
            if answer not in self._found_in:
                self._found_in.append(answer)

    def _found(self) -> Observation:
        try:
            said = [(_ORDER.index(parse_receipt(value).status), value) for value in self._mine]
        except InvalidReceipt as invalid:
            return self._could_not_ask(str(invalid))
        first, *also = [value for _, value in sorted(said, key=lambda pair: pair[0])]
        raw = b"\n".join(answer.raw for answer in self._found_in)  # each page that shows one
        status = self._found_in[0].status
        return Found(receipt_value=first, also=tuple(also), raw=raw, status=status)

    def _could_not_ask(self, why: str, *, is_ours: bool = False) -> CouldNotAsk:
        answer = self._latest
        limit = self.lookup.search_limit
        return CouldNotAsk(
            detail=f"{why} ({len(self._seen)} records searched, the limit is {limit})",
            status=answer.status if answer else None,
            raw=answer.raw if answer else b"",
            retry_after_seconds=(
                read_retry_after(answer.headers) if isinstance(answer, HttpAnswer) else None
            ),
            is_ours=is_ours,
        )


def _name(record: JSON, shape: RecordShape) -> str:
    """What tells a record from the others: its id, or all of it where it has none."""
    own = effect_id(record, shape)
    if isinstance(own, str) and own:
        return f"id {own}"
    return f"digest {sha256(canonical_bytes(record)).hexdigest()}"
