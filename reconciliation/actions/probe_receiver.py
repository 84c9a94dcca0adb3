"""Probing a sandbox account: the calls that show whether a receiver does what is claimed of it.

Nothing of this is an operation: the keys begin with `certify-` and the database is not touched.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from operations.protocol.payloads import parse_json
from operations.protocol.profiles import Profile
from operations.protocol.receipts import InvalidReceipt, Judged, Receipt, judge, parse_receipt
from operations.protocol.states import ReceiptStatus
from operations.receivers.base import (
    Answered,
    CertifySample,
    Found,
    NoAnswer,
    NotFound,
    Observation,
    Outcome,
    Receiver,
    ReceiverConfig,
)
from operations.receivers.connectors import narrowed
from reconciliation.protocol.certification import Probe, Row, not_probed, row

LOOKUP_SECONDS = 10.0
BETWEEN_LOOKUPS_SECONDS = 0.1
# How much longer than the claimed lag a record is waited for.
PATIENCE_SECONDS = 3.0
# How long a key rests before it is tried again. A window of hours can't be sat out by a probe.
REST_SECONDS = 1.0
# The look itself takes a moment, which is not the receiver's lag.
LOOKUP_SLACK_SECONDS = 1.0

type Ledger = Callable[[str], tuple[int, int] | None]


@dataclass(slots=True, kw_only=True)
class Prober:
    """One run. `ledger` gives (requests, effects) under a key where the receiver shows both."""

    config: ReceiverConfig
    receiver: Receiver
    sample: CertifySample
    seed: str
    began_at: datetime
    ledger: Ledger

    def rows(self) -> list[Row]:
        """Every probe, in order. It takes some seconds, the claimed lag included."""
        never, same = self._never_used(), self._key("same")
        first = self._send(same, self.sample.payload)
        answer = self._answer(first, same)
        lookups = self._lookups(same)
        again = self._send(same, self.sample.payload)
        return [
            never,
            answer,
            *lookups,
            self._same_key(Probe.SAME_KEY, same, [first, again], "sent twice"),
            self._changed_payload(),
            self._forgotten_key(),
            self._requests(same),
        ]

    @property
    def profile(self) -> Profile:
        """What is claimed."""
        return self.config.profile

    def _key(self, name: str) -> str:
        return f"certify-{self.seed}-{name}"

    def _send(self, key: str, payload_text: str) -> Outcome:
        request = self.receiver.render(
            key=key,
            idempotency_key=f"{key}-idempotency",
            payload_text=payload_text,
            environment=self.config.environment,
        )
        return self.receiver.send(request, deadline_seconds=self.profile.send_within_seconds)

    def _look_up(self, key: str) -> Observation:
        about = narrowed(
            self.receiver, payload_text=self.sample.payload, registered_at=self.began_at
        )
        return about.look_up(
            key, environment=self.config.environment, deadline_seconds=LOOKUP_SECONDS
        )

    def _never_used(self) -> Row:
        claimed = "its exact not-found answer" if self.profile.has_lookup else "no lookup"
        if not self.profile.has_lookup:
            return not_probed(Probe.NEVER_USED, claimed=claimed, why="it has no lookup")
        seen = self._look_up(self._key("never"))
        agrees = isinstance(seen, NotFound)
        return row(Probe.NEVER_USED, claimed=claimed, observed=_seen(seen), agrees=agrees)

    def _answer(self, outcome: Outcome, key: str) -> Row:
        claimed = f"a confirmed receipt within {self.profile.send_within_seconds} s, no redirect"
        receipt = _receipt(outcome)
        observed = _told(outcome) if receipt is None else self._worth(receipt, key)
        agrees = receipt is not None and self._is_match(receipt, key)
        return row(Probe.ANSWER, claimed=claimed, observed=observed, agrees=agrees)

    def _lookups(self, key: str) -> list[Row]:
        lag = self.profile.lookup_lag_seconds
        claims = {Probe.LOOKUP: "the receipt, by its key", Probe.LAG: f"within {lag} s"}
        if not self.profile.has_lookup:
            why = "it has no lookup"
            return [not_probed(probe, claimed="no lookup", why=why) for probe in claims]
        began = time.monotonic()
        seen = self._look_up(key)
        while not isinstance(seen, Found) and time.monotonic() - began < lag + PATIENCE_SECONDS:
            time.sleep(BETWEEN_LOOKUPS_SECONDS)
            seen = self._look_up(key)
        took = time.monotonic() - began
        found = _parsed(seen.receipt_value) if isinstance(seen, Found) else None
        observed = _seen(seen) if found is None else self._worth(found, key)
        return [
            row(
                Probe.LOOKUP,
                claimed=claims[Probe.LOOKUP],
                observed=observed,
                agrees=found is not None and self._is_match(found, key),
            ),
            row(
                Probe.LAG,
                claimed=claims[Probe.LAG],
                observed=f"{'found' if found else 'not found'} after {took:.1f} s",
                agrees=found is not None and took <= lag + LOOKUP_SLACK_SECONDS,
            ),
        ]

    def _same_key(self, probe: Probe, key: str, outcomes: list[Outcome], how: str) -> Row:
        claimed = "one effect" if self.profile.deduplicates else "an effect for each send"
        count, certain = self._effects(key, outcomes)
        if count is None:
            return not_probed(probe, claimed=claimed, why="no effect could be counted")
        observed = f"{_counted(count)}, {how}{certain}"
        # One that does more than it claims is none that contradicts it.
        agrees = count == 1 or not self.profile.deduplicates
        return row(probe, claimed=claimed, observed=observed, agrees=agrees)

    def _changed_payload(self) -> Row:
        key = self._key("changed")
        first = self._send(key, self.sample.payload)
        second = self._send(key, self.sample.other_payload)
        claims = self.profile.notices_changed_payload
        claimed = "refused, no second effect" if claims else "not noticed"
        count, certain = self._effects(key, [first, second])
        is_noticed = isinstance(second, Answered) and 400 <= second.status <= 499
        effects = "no count of effects" if count is None else _counted(count)
        observed = f"{_told(second)}, {effects}{certain}"
        agrees = not claims or (is_noticed and count == 1)
        return row(Probe.CHANGED_PAYLOAD, claimed=claimed, observed=observed, agrees=agrees)

    def _forgotten_key(self) -> Row:
        window = self.profile.dedup_window_seconds
        if not self.profile.deduplicates or window is None:
            why = "no key is claimed to be kept"
            return not_probed(Probe.FORGOTTEN_KEY, claimed="no keys", why=why)
        key = self._key("forgotten")
        first = self._send(key, self.sample.payload)
        rest = min(REST_SECONDS, window)
        time.sleep(rest)
        again = self._send(key, self.sample.payload)
        count, certain = self._effects(key, [first, again])
        if count is None:
            why = "no effect could be counted"
            return not_probed(Probe.FORGOTTEN_KEY, claimed=f"kept {window} s", why=why)
        effects = f"{_counted(count)} after {rest:g} s{certain}"
        return row(
            Probe.FORGOTTEN_KEY,
            claimed=f"kept for {window} s",
            observed=f"{effects}; a longer rest was not probed",
            agrees=count == 1,
        )

    def _requests(self, key: str) -> Row:
        claimed = "one request for each send"
        counted = self.ledger(key)
        if counted is None:
            why = "it showed no count of requests; our own client retries nothing"
            return not_probed(Probe.REQUESTS, claimed=claimed, why=why)
        observed = f"{counted[0]} requests for 2 sends"
        return row(Probe.REQUESTS, claimed=claimed, observed=observed, agrees=counted[0] == 2)

    def _effects(self, key: str, outcomes: list[Outcome]) -> tuple[int | None, str]:
        """How many there are, and by what that is known: its ledger, else the ids it told."""
        counted = self.ledger(key)
        if counted is not None:
            return counted[1], ""
        values = [each.receipt for each in outcomes if isinstance(each, Answered)]
        seen = self._look_up(key) if self.profile.has_lookup else None
        if isinstance(seen, Found):
            values += [seen.receipt_value, *seen.also]
        receipts = [receipt for value in values if (receipt := _parsed(value)) is not None]
        ids = {receipt.effect_id for receipt in receipts if receipt.effect_id}
        return (len(ids) or None), ", by the ids that it told"

    def _is_match(self, receipt: Receipt, key: str) -> bool:
        return self._judged(receipt, key)[0] == Judged.MATCH

    def _judged(self, receipt: Receipt, key: str) -> tuple[Judged, str]:
        judgement = judge(
            receipt,
            key=key,
            environment=self.config.environment,
            payload=parse_json(self.sample.payload),
            profile=self.profile,
        )
        return judgement.verdict, ", ".join(each.pointer for each in judgement.differences)

    def _worth(self, receipt: Receipt, key: str) -> str:
        verdict, pointers = self._judged(receipt, key)
        if verdict == Judged.MATCH:
            return "a confirmed receipt"
        if receipt.status != ReceiptStatus.CONFIRMED and not pointers:
            return f"a receipt that says {receipt.status}"
        return f"a receipt that differs at {pointers or 'its effect id'}"


def _counted(effects: int) -> str:
    return f"{effects} effect{'' if effects == 1 else 's'}"


def _parsed(value: object) -> Receipt | None:
    try:
        return parse_receipt(value)
    except InvalidReceipt:
        return None


def _receipt(outcome: Outcome) -> Receipt | None:
    return _parsed(outcome.receipt) if isinstance(outcome, Answered) else None


def _told(outcome: Outcome) -> str:
    if isinstance(outcome, NoAnswer):
        return f"no answer ({outcome.detail})"
    if 300 <= outcome.status <= 399:
        return f"a redirect (status {outcome.status}), which is not followed"
    code = f" {outcome.refusal_code}" if outcome.refusal_code else ""
    return f"status {outcome.status}{code}"


def _seen(seen: Observation) -> str:
    if isinstance(seen, Found):
        return "a record"
    if isinstance(seen, NotFound):
        return "not found"
    return f"no usable answer ({seen.detail})"
