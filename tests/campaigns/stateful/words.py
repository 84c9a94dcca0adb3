"""From what a receipt is meant to say to its JSON, and what a story may let a receiver say."""

import json
from typing import Any

from hypothesis import strategies as st

from operations.protocol.states import ReceiptStatus as R
from tests.campaigns.stateful.reference.record import Record, Said

ORDER = '{"sku":"vanilla","quantity":6}'
SAME_ORDER = '{"quantity":6.0,"sku":"vanilla"}'
OTHER_ORDER = '{"sku":"vanilla","quantity":7}'


def payload_of(kind: str, amount: str) -> str:
    """The payload as JSON text; a refund's amount says how many have to agree."""
    if kind == "supplier.order":
        return ORDER
    return f'{{"order":"A-1","amount":"{amount}","currency":"EUR","reason":"damaged"}}'


def same_of(payload: str) -> str:
    """The same by value, written differently."""
    return SAME_ORDER if payload == ORDER else json.dumps(json.loads(payload), indent=1)


def other_of(payload: str) -> str:
    return OTHER_ORDER if payload == ORDER else payload.replace("damaged", "late")


def as_json(record: Record, said: Said) -> dict[str, Any]:
    """The receipt in the contract's form; one that is foreign was made in another environment."""
    value: dict[str, Any] = {"operation_id": record.key, "status": str(said.status)}
    if said.effect:
        value["effect_id"] = said.effect
    if said.payload != "none":
        text = record.payload if said.payload == "same" else other_of(record.payload)
        value["payload"] = json.loads(text)
    if said.foreign:
        value["environment"] = "staging"
    return value


def a_word(record: Record, truth: Said | None) -> st.SearchStrategy[Said]:
    """What somebody says of it: mostly what is true or could be, sometimes anything."""
    others = [each.effect for each in record.book.records.values() if each.effect]
    effects = [f"{record.key}-a", f"{record.key}-a", f"{record.key}-b", *others]
    good = [Said(effect=effect) for effect in effects[:1]]
    anything = st.builds(
        Said,
        status=st.sampled_from((R.CONFIRMED, R.CONFIRMED, R.PENDING, R.REFUSED)),
        effect=st.sampled_from(("", *effects)),
        payload=st.sampled_from(("same", "same", "other", "none")),
        foreign=st.sampled_from((False, False, False, True)),
    )
    likely = st.sampled_from([truth, truth] if truth else good)
    return st.one_of(likely, anything)
