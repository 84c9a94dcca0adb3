"""An event that localstripe signed itself."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from operations.receivers.stripe_webhook import receipt_in, verify
from tests.operations.receivers.stripe_rig import PAYMENTS
from tests.receiver import eventually
from tests.stripe_server import stripe_server_fixture

__all__ = ["stripe_server_fixture"]

SECRET = "whsec_shared_with_localstripe"


@dataclass
class Mailbox:
    """Where events arrive, as (headers with lower-case names, body)."""

    url: str
    deliveries: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            box.deliveries.append((headers, self.rfile.read(int(headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    box = Mailbox(f"http://127.0.0.1:{server.server_port}/")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield box
    server.shutdown()
    thread.join(timeout=5)
    server.server_close()


def test_its_signature_is_good_and_its_payment_is_a_receipt(stripe_server, mailbox):
    stripe_server.send_events_to(mailbox.url, SECRET)
    card = stripe_server.a_card()
    made = stripe_server.post(
        "payment_intents",
        amount=1250,
        currency="eur",
        confirm="true",
        payment_method=card,
        **{
            "metadata[opsconsole_key]": "order-77",
            "metadata[opsconsole_environment]": "production",
        },
    )

    assert eventually(lambda: mailbox.deliveries)
    headers, raw = mailbox.deliveries[0]

    assert verify([SECRET], headers=headers, raw=raw).startswith("evt_")
    receipt = receipt_in(raw, PAYMENTS)
    assert (receipt["operation_id"], receipt["status"]) == ("order-77", "confirmed")
    assert receipt["effect_id"] == made["id"]
    assert receipt["payload"] == {"card": card, "amount": "12.50", "currency": "EUR"}
