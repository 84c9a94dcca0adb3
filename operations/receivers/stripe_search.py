"""Looking for an operation's object in Stripe's lists: whole, or not at all (rule 5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import stripe

from operations.protocol.json_values import JSON, is_number
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.states import ReceiptStatus
from operations.receivers.answers import read_json_object, read_retry_after
from operations.receivers.base import CouldNotAsk, Found, NotFound, Observation
from operations.receivers.http_call import HttpAnswer
from operations.receivers.stripe_calls import Asker, Unanswered
from operations.receivers.stripe_errors import refusal_code
from operations.receivers.stripe_objects import owner_of, receipt_value
from operations.receivers.stripe_request import PATHS
from operations.receivers.stripe_settings import StripeSettings

# Stripe's own most for one page of a list.
PAGE_SIZE = 100


class _Unclear(Exception):
    """Why an answer, or a row of answers, proves nothing."""


class _NotWhole(_Unclear):
    """Every page was answered as it should be, and yet the search is none of a whole list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One lookup of what was made for the operation `key` of `environment`.

    `filters` narrow the list to what can hold it, such as one payment's refunds.
    """

    client: stripe.StripeClient
    asker: Asker
    settings: StripeSettings
    key: str
    environment: str
    filters: Mapping[str, Any]

    def run(self) -> Observation:
        """What Stripe has. NotFound only after the whole list, CouldNotAsk says how far it got."""
        seen: set[str] = set()
        try:
            for page in self._pages(seen):
                mine = [made for made in page if owner_of(made) == (self.key, self.environment)]
                if mine:
                    return self._found(mine, seen)
        except Unanswered as unanswered:
            answer = unanswered.answer
            detail = self._sentence(answer.detail, seen)
            return CouldNotAsk(detail=detail, status=answer.status, raw=answer.raw)
        except stripe.StripeError:
            code = refusal_code(self._latest) or "without a code"
            return self._could_not_ask(f"Stripe answered {self._latest.status} {code}", seen)
        except _Unclear as unclear:
            return self._could_not_ask(str(unclear), seen, is_ours=isinstance(unclear, _NotWhole))
        return NotFound(raw=self._latest.raw, status=self._latest.status)

    def _pages(self, seen: set[str]) -> Iterator[list[dict[str, JSON]]]:
        """Page after page, newest first, until the list ends; raises _Unclear beyond the limit.

        What is made while we read comes before the first page, so it moves nothing that is still
        to be read; and it is no answer to a question that was asked before it.
        """
        after: dict[str, str] = {}
        while True:
            asked = {**self.filters, "limit": PAGE_SIZE, **after}
            self.client.raw_request("get", PATHS[self.settings.makes], **asked)
            page, has_more = self._read()
            for made in page:
                if made["id"] in seen:
                    raise _NotWhole(f"the list moved: {made['id']} came twice")
                seen.add(made["id"])
            yield page
            if not has_more:
                return
            if len(seen) >= self.settings.search_limit or not page:
                raise _NotWhole("the list goes on")
            after = {"starting_after": page[-1]["id"]}

    def _read(self) -> tuple[list[dict[str, JSON]], bool]:
        body = read_json_object(self._latest.raw) or {}
        page, has_more = body.get("data"), body.get("has_more")
        is_list = body.get("object") == "list" and isinstance(has_more, bool)
        if not is_list or not isinstance(page, list):
            raise _Unclear("expected a list of Stripe's, got something else")
        if not all(self._is_readable(made) for made in page):
            raise _Unclear(f"expected {self.settings.makes} objects with ids, got something else")
        return page, bool(has_more)

    def _is_readable(self, made: JSON) -> bool:
        return (
            isinstance(made, dict)
            and made.get("object") == self.settings.makes
            and isinstance(made.get("id"), str)
        )

    def _found(self, mine: list[dict[str, JSON]], seen: set[str]) -> Observation:
        """Every effect under the key, those that succeeded first and the oldest of them foremost.

        What failed or was canceled is none; it is told alone, the latest, where nothing else is.
        """
        is_live = self.environment in self.settings.live_environments
        mine = sorted(mine, key=_created)
        values = [receipt_value(made, self.settings, is_live=is_live) for made in mine]
        try:
            statuses = [parse_receipt(value).status for value in values]
        except InvalidReceipt as invalid:
            return self._could_not_ask(str(invalid), seen)
        said = list(zip(statuses, values, strict=True))
        effects = [
            value
            for wanted in (ReceiptStatus.CONFIRMED, ReceiptStatus.PENDING)
            for status, value in said
            if status is wanted
        ]
        first, *also = effects or values[-1:]
        answer = self._latest
        return Found(receipt_value=first, also=tuple(also), raw=answer.raw, status=answer.status)

    @property
    def _latest(self) -> HttpAnswer:
        assert self.asker.answer is not None
        return self.asker.answer

    def _could_not_ask(self, why: str, seen: set[str], *, is_ours: bool = False) -> CouldNotAsk:
        return CouldNotAsk(
            detail=self._sentence(why, seen),
            status=self._latest.status,
            raw=self._latest.raw,
            retry_after_seconds=read_retry_after(self._latest.headers),
            is_ours=is_ours,
        )

    def _sentence(self, why: str, seen: set[str]) -> str:
        limit = self.settings.search_limit
        return f"{why} ({len(seen)} searched, at most {limit} are)"


def _created(made: dict[str, JSON]) -> int:
    created: JSON = made.get("created")
    return int(created) if is_number(created) else 0
