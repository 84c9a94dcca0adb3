"""What the demo's agents ask for: believable orders, refunds and e-mails, the same every time."""

import json
import random
from dataclasses import dataclass
from typing import Any

from opsconsole.demo import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing to be done once. `payload` holds whole numbers and text only, never a float."""

    kind: str
    key: str
    payload: dict[str, Any]
    reference: str
    goal: str
    context: dict[str, Any]

    @property
    def payload_text(self) -> str:
        """The payload as the agent would send it."""
        return json.dumps(self.payload, ensure_ascii=False, separators=(",", ":"))


class Catalogue:
    """Draws requests. The same `seed` draws the same ones, so a second start finds its own.

    `first_number` starts the numbers that make keys and references unique; `prefix` keeps the
    keys of two catalogues apart.
    """

    def __init__(self, *, seed: str, first_number: int, prefix: str = "") -> None:
        self._random = random.Random(seed)  # noqa: S311 - a story, not a secret
        self._number = first_number
        self._prefix = prefix

    def order(self, *, quantity: int | None = None) -> Request:
        """A supplier order."""
        number = self._next()
        sku = self._random.choice(words.SKUS)
        count = quantity or self._random.choice((4, 6, 12, 18, 24, 36, 48, 96, 120, 144, 240))
        return Request(
            kind="supplier.order",
            key=f"{self._prefix}order-{number}",
            payload={"sku": sku, "quantity": count},
            reference=f"PO-{number}",
            goal=self._random.choice(words.ORDER_GOALS).format(sku=sku, count=count),
            context=self._context("procurement"),
        )

    def refund(
        self, *, amount: str = "", at_least: int = 5, below: int = 100, currency: str = "EUR"
    ) -> Request:
        """A refund of `amount`, or of one from `at_least` to under `below` units of `currency`."""
        number = self._next()
        cents = self._random.randrange(at_least * 100, below * 100)
        payload = {
            "order": f"A-{self._random.randrange(40_000, 99_999)}",
            "amount": amount or f"{cents // 100}.{cents % 100:02}",
            "currency": currency,
            "reason": self._random.choice(words.REFUND_REASONS),
        }
        return Request(
            kind="payment.refund",
            key=f"{self._prefix}refund-{number}",
            payload=payload,
            reference=f"RMA-{number}",
            goal=words.REFUND_GOAL.format(order=payload["order"], reason=payload["reason"]),
            context=self._context("returns"),
        )

    def email(self) -> Request:
        """An e-mail to a customer."""
        number = self._next()
        name, address = self._random.choice(words.CUSTOMERS)
        subject, body, goal = self._random.choice(words.EMAILS)
        about = f"A-{self._random.randrange(40_000, 99_999)}"
        return Request(
            kind="customer.email",
            key=f"{self._prefix}mail-{number}",
            payload={
                "to": address,
                "subject": subject.format(order=about),
                "body": body.format(name=name, order=about),
            },
            reference=f"TICKET-{number}",
            goal=goal,
            context=self._context("care"),
        )

    def any(self) -> Request:
        """One of the three, orders most often; a refund stays under every approval policy."""
        return self._random.choices((self.order, self.refund, self.email), (6, 3, 2))[0]()

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _context(self, flow: str) -> dict[str, Any]:
        return {"flow": flow, "run": f"run-{self._random.randrange(16**8):08x}"}
