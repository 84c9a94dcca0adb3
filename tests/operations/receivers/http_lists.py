"""Lists of records as the documented receivers answer them, and lookups in them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from operations.receivers.base import Observation
from operations.receivers.connectors import connector
from tests.http_receivers import Api, Asked, at, documented, load

PAGE = 100


ORDER = {"sku": "vanilla", "quantity": 6}


def record(number: int, key: str | None = "", **changed: Any) -> dict[str, Any]:
    """One of the warehouse's and of the supplier's at once."""
    key = f"order-{number}" if key == "" else key
    return {
        "reference": key,
        "id": f"R{number}",
        "line": {"article": "vanilla", "count": 6},
        "state": "shipped",
        "operation_id": key,
        "effect_id": f"E{number}",
        "payload": ORDER,
        "confirmed": True,
        "external_id": key,
        "number": number,
        "data": ORDER,
        **changed,
    }


def records(count: int) -> list[dict[str, Any]]:
    return [record(number) for number in range(1, count + 1)]


def asked_for(asked: Asked, name: str) -> str | None:
    return parse_qs(urlsplit(asked.target).query).get(name, [None])[0]


def numbered(all_of_them: list[Any], **changed: Any) -> Callable[[Asked], tuple[Any, ...]]:
    """The supplier's list by numbered pages."""

    def answer(asked: Asked) -> tuple[Any, ...]:
        page = int(asked_for(asked, "page") or 1)
        body = {
            "orders": all_of_them[(page - 1) * PAGE : page * PAGE],
            "total": len(all_of_them),
            "total_pages": -(-len(all_of_them) // PAGE),
        }
        return 200, {**body, **changed}

    return answer


def by_cursor(all_of_them: list[Any]) -> Callable[[Asked], tuple[Any, ...]]:
    """The warehouse's list: the cursor is the offset of the next page."""

    def answer(asked: Asked) -> tuple[Any, ...]:
        start = int(asked_for(asked, "cursor") or 0)
        end = start + PAGE
        cursor = str(end) if end < len(all_of_them) else None
        return 200, {"reservations": all_of_them[start:end], "next_cursor": cursor}

    return answer


def by_link(all_of_them: list[Any], base: str = "") -> Callable[[Asked], tuple[Any, ...]]:
    """The tickets' list: the next page is in the Link header."""

    def answer(asked: Asked) -> tuple[Any, ...]:
        start = int(asked_for(asked, "after") or 0)
        end = start + PAGE
        links = [f'<{base}/tickets?after=0>; rel="first"']
        if end < len(all_of_them):
            links.append(f'<{base}/tickets?external_id=x&after={end}>; title="a"; rel="next"')
        return 200, all_of_them[start:end], {"Link": ", ".join(links)}

    return answer


def look_up(api: Api, name: str, key: str, *, seconds: float = 10, **new: str) -> Observation:
    """A lookup through the documented receiver; `new` replaces pieces of its description."""
    head, own = at(api.url, documented()).split(f"[receivers.{name}]")
    for number in range(len(new) // 2):
        old = new[f"old{number}"]
        assert old in own
        own = own.replace(old, new[f"new{number}"], 1)
    config = load(f"{head}[receivers.{name}]{own}").receivers[("production", name)]
    receiver = connector(config)
    assert receiver is not None
    return receiver.look_up(key, environment="production", deadline_seconds=seconds)


SHAPES = {"supplier-by-pages": numbered, "warehouse": by_cursor, "tickets": by_link}
