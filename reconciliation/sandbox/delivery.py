"""Sending signed webhooks (Standard Webhooks) to the console's address."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from sqlite3 import Row

import httpx
from standardwebhooks.webhooks import Webhook

from reconciliation.sandbox.outbox import row_of, settle
from reconciliation.sandbox.store import Store

log = logging.getLogger("sandbox.webhooks")

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """Where webhooks go and how they are signed.

    `url_template` may hold `{environment}`. `secrets` maps an environment to its `whsec_…` secret;
    the one under "" serves every environment without its own.
    """

    url_template: str
    secrets: Mapping[str, str]
    sends_always: bool = False

    def deliver_early(self, store: Store, row_ids: tuple[int, ...]) -> None:
        """Send the webhooks that go out before an answer, and wait for what they are answered."""
        for row_id in row_ids:
            self.deliver(store, row_of(store, row_id))

    def deliver(self, store: Store, row: Row) -> None:
        """Send one webhook, freshly signed, and note in its row how that went."""
        try:
            url, headers = self._addressed(row)
            answer = httpx.post(
                url,
                content=row["body"].encode(),
                headers=headers,
                timeout=TIMEOUT_SECONDS,
                trust_env=False,
            )
        except httpx.HTTPError as error:
            log.warning("webhook %s: %s", row["message_id"], error)
            settle(store, row, is_delivered=False)
        else:
            if not answer.is_success:
                log.warning("webhook %s: answered %s", row["message_id"], answer.status_code)
            settle(store, row, is_delivered=answer.is_success)

    def _addressed(self, row: Row) -> tuple[str, dict[str, str]]:
        environment, now = row["environment"], datetime.now(tz=UTC)
        secret = self.secrets.get(environment) or self.secrets[""]
        headers = {
            "content-type": "application/json",
            "webhook-id": row["message_id"],
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(secret).sign(row["message_id"], now, row["body"]),
        }
        return self.url_template.replace("{environment}", environment), headers
