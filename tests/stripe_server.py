"""A real localstripe process: a Stripe server that ignores idempotency keys. And its clients."""

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[1]
TEST_KEY = "sk_test_console"
LIVE_KEY = "sk_live_console"
GOOD_CARD = "4242424242424242"
DECLINED_LATER = "4000000000000341"


class StripeServer:
    """Starts `python -m localstripe` on a free port; its books are read over its own API."""

    def __init__(self) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._client = httpx.Client(
            base_url=self.url, trust_env=False, headers={"Authorization": f"Bearer {TEST_KEY}"}
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "localstripe", "--port", str(self.port), "--from-scratch"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        ends_at = time.monotonic() + 30
        while time.monotonic() < ends_at and self._process.poll() is None:
            try:
                self._client.get("/v1/refunds").raise_for_status()
            except httpx.TransportError:
                threading.Event().wait(0.05)
            else:
                return self
        self._stop()
        raise RuntimeError("localstripe did not start")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=10)
        self._client.close()

    def post(self, path: str, **form: Any) -> dict[str, Any]:
        """One object made over the API."""
        answer = self._client.post(f"/v1/{path}", data=form).raise_for_status()
        made: dict[str, Any] = answer.json()
        return made

    def a_card(self, number: str = GOOD_CARD) -> str:
        """The id of a payment method."""
        card = {"number": number, "exp_month": "12", "exp_year": "2040", "cvc": "123"}
        form = {f"card[{name}]": value for name, value in card.items()}
        return str(self.post("payment_methods", type="card", **form)["id"])

    def a_payment(self, amount: int = 10_000, currency: str = "eur") -> dict[str, Any]:
        """A payment intent that succeeded."""
        form = {"amount": amount, "currency": currency, "confirm": "true"}
        return self.post("payment_intents", payment_method=self.a_card(), **form)

    def refunds(self, payment_intent: str) -> list[dict[str, Any]]:
        """All the refunds of a payment, from the server's own books."""
        query = {"payment_intent": payment_intent, "limit": "100"}
        answer = self._client.get("/v1/refunds", params=query).raise_for_status()
        return list(answer.json()["data"])

    def payments(self) -> list[dict[str, Any]]:
        """All payment intents."""
        answer = self._client.get("/v1/payment_intents", params={"limit": "1000"})
        return list(answer.raise_for_status().json()["data"])

    def send_events_to(self, url: str, secret: str) -> None:
        """Have every event posted there, signed."""
        hook = {"url": url, "secret": secret}
        self._client.post("/_config/webhooks/console", data=hook).raise_for_status()


@pytest.fixture(scope="session", name="stripe_server")
def stripe_server_fixture() -> Iterator[StripeServer]:
    """One process for the whole run; its objects are told apart by their ids."""
    with StripeServer() as server:
        yield server


def documented() -> str:
    """The configuration of docs/receivers.md, section Stripe, with two environments."""
    text = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8")
    section = text.split("\n## Stripe\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```toml\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return 'environments = ["production", "staging"]\n' + "\n".join(blocks)


def _free_port() -> int:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as found:
        found.bind(("::", 0))
        port: int = found.getsockname()[1]
        return port
