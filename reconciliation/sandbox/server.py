"""The sandbox's HTTP interface: routes, headers, and errors as JSON."""

import logging
import re
import sqlite3
import sys
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote_to_bytes, urlsplit

from reconciliation.sandbox import exact_json
from reconciliation.sandbox.armed import arm, armed, disarm
from reconciliation.sandbox.connection import Connection
from reconciliation.sandbox.delivery import Webhooks
from reconciliation.sandbox.effects import Order
from reconciliation.sandbox.exact_json import Json, NotExactJson, Number
from reconciliation.sandbox.faults import WEBHOOKS, read_arming, read_operation_id
from reconciliation.sandbox.lookups import find_order, list_orders, read_ledger
from reconciliation.sandbox.orders import MOVED, count_request, take_order
from reconciliation.sandbox.problems import Problem
from reconciliation.sandbox.replies import Reply, json_reply, not_found_reply, problem_reply
from reconciliation.sandbox.store import Store, Stores

log = logging.getLogger("sandbox.server")


class Server(ThreadingHTTPServer):
    """Listens on loopback; one thread a connection."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int, stores: Stores, webhooks: Webhooks | None) -> None:
        self.stores = stores
        self.webhooks = webhooks
        super().__init__(("127.0.0.1", port), Requests)

    def handle_error(self, request: object, client_address: object) -> None:
        """Log what went wrong with a connection, unless the sender just hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            log.exception("a connection failed")


class Requests(Connection):
    """Answers each request from the store of its environment."""

    server: Server

    def do_GET(self) -> None:
        """Lookups, the list, the ledger and the armed faults."""
        self._handle("GET")

    def do_POST(self) -> None:
        """Orders and faults."""
        self._handle("POST")

    def do_DELETE(self) -> None:
        """Faults."""
        self._handle("DELETE")

    def _handle(self, method: str) -> None:
        try:
            has_body = method == "POST" or "Content-Length" in self.headers
            body = self.read_body() if has_body else b""
            reply = self._route(method, body)
        except Problem as problem:
            reply = problem_reply(problem.status, problem.code, problem.detail)
        except sqlite3.Error as error:
            log.exception("the store failed")
            reply = problem_reply(503, "store_unavailable", f"The store failed: {error}")
        except Exception:
            log.exception("%s %s failed", method, self.path)
            reply = problem_reply(500, "internal_error", "The receiver failed; its log says how.")
        self.finish_with(reply)

    def _route(self, method: str, body: bytes) -> Reply:
        path = urlsplit(self.path).path
        environment = self.headers.get("Environment", "production")
        store = self.server.stores.of(environment)
        fixed: dict[tuple[str, str], Callable[[], Reply]] = {
            ("GET", "/healthz"): lambda: json_reply(200, {"status": "ok"}),
            ("GET", "/orders"): lambda: json_reply(200, list_orders(store, self._page())),
            ("POST", "/orders"): lambda: self._order(store, body),
            ("POST", MOVED): lambda: self._order(store, body),
            ("GET", "/faults"): lambda: self._armed(store),
            ("POST", "/faults"): lambda: self._arm(store, body),
        }
        if answer := fixed.get((method, path)):
            return answer()
        by_operation: dict[tuple[str, str], Callable[[str], Reply]] = {
            ("GET", "orders"): lambda name: self._find(store, name),
            ("GET", "ledger"): lambda name: json_reply(200, read_ledger(store, name)),
            ("DELETE", "faults"): lambda name: self._disarm(store, name),
        }
        _, _, rest = path.partition("/")
        noun, _, encoded = rest.partition("/")
        if encoded and (answer_for := by_operation.get((method, noun))):
            return answer_for(_operation_id(encoded))
        raise Problem(404, "unknown_path", f"{method} {path} is not a path of this receiver")

    def _order(self, store: Store, body: bytes) -> Reply:
        value = _read_object(body)
        operation_id = read_operation_id(value.get("operation_id"))
        key = self.headers.get("Idempotency-Key")
        request_number = count_request(store, operation_id, key)
        if not key or len(key) > 255:
            expected = "expected a header of 1 to 255 characters"
            raise Problem.bad_request("missing_idempotency_key", f"Idempotency-Key: {expected}")
        if set(value) != {"operation_id", "payload"}:
            got = ", ".join(sorted(value))
            raise Problem.bad_request(
                "invalid_body", f"expected operation_id and payload, got {got}"
            )
        order = Order(operation_id=operation_id, idempotency_key=key, payload=value["payload"])
        webhooks = self.server.webhooks
        taken = take_order(
            store,
            order,
            request_number=request_number,
            sends_webhooks=webhooks is not None and webhooks.sends_always,
        )
        if taken.early_webhooks and webhooks is not None:
            webhooks.deliver_early(store, taken.early_webhooks)
        return taken.reply

    def _find(self, store: Store, operation_id: str) -> Reply:
        receipt = find_order(store, operation_id)
        return not_found_reply(operation_id) if receipt is None else json_reply(200, receipt)

    def _arm(self, store: Store, body: bytes) -> Reply:
        arming = read_arming(_read_object(body))
        if arming.fault in WEBHOOKS and self.server.webhooks is None:
            detail = f"{arming.fault} needs a sandbox that was started with --webhook-url"
            raise Problem.bad_request("no_webhook_url", detail)
        with store.transaction() as tx:
            return json_reply(201, arm(tx, arming))

    def _armed(self, store: Store) -> Reply:
        with store.transaction() as tx:
            return json_reply(200, {"faults": armed(tx)})

    def _disarm(self, store: Store, operation_id: str) -> Reply:
        with store.transaction() as tx:
            deleted = disarm(tx, operation_id)
        return json_reply(200, {"operation_id": operation_id, "deleted": Number(str(deleted))})

    def _page(self) -> int:
        query = parse_qsl(urlsplit(self.path).query, keep_blank_values=True)
        unknown = [name for name, _ in query if name != "page"]
        if unknown or len(query) > 1:
            raise Problem.bad_request("unknown_parameter", "expected page once and nothing else")
        text = query[0][1] if query else "1"
        if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
            raise Problem.bad_request("invalid_page", f"page: expected a number from 1, got {text}")
        return int(text)


def _read_object(body: bytes) -> dict[str, Json]:
    try:
        value = exact_json.read(body)
    except NotExactJson as error:
        raise Problem.bad_request("malformed_json", str(error)) from error
    if not isinstance(value, dict):
        raise Problem.bad_request("invalid_body", "expected a JSON object")
    return value


def _operation_id(encoded: str) -> str:
    return read_operation_id(unquote_to_bytes(encoded).decode("latin-1"))
