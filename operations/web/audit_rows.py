"""Audit entries as a page shows them: who, about what, in which words, and whether each holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from operations.models import AuditEntry, Operation
from operations.protocol.payloads import dumps
from operations.protocol.words import shortened
from operations.queries.audit_proof import entry_fault, words_of
from operations.queries.changes import agent_names, name_of
from operations.web.detail.entry_words import more_of

LONGEST_FACT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One entry. `fault` says what is wrong with it by itself, "" when nothing is.

    `more` is what its detail says in words, `facts` are (name, value) of all that it says.
    """

    entry: AuditEntry
    actor_name: str
    reason: str
    more: str
    subject: str
    url: str
    hash: str
    fault: str
    facts: list[tuple[str, str]]


def audit_rows(entries: Sequence[AuditEntry]) -> list[AuditRow]:
    """The rows of entries that were read with their words and operations.

    One query for the agents that are not their operation's own.
    """
    agents = _own_agents(entries)
    agents |= agent_names(entry for entry in entries if entry.actor_id not in agents)
    return [_row(entry, agents) for entry in entries]


def _own_agents(entries: Sequence[AuditEntry]) -> dict[str, str]:
    agent = Operation._meta.get_field("agent")  # noqa: SLF001  Django's public name for it
    told = (entry.operation for entry in entries if entry.operation is not None)
    return {
        str(operation.agent_id): operation.agent.name
        for operation in told
        if agent.is_cached(operation) and operation.agent is not None
    }


def _row(entry: AuditEntry, agents: dict[str, str]) -> AuditRow:
    words = words_of(entry)
    subject, url = _subject(entry)
    return AuditRow(
        entry=entry,
        actor_name=name_of(entry, agents),
        reason=words.reason if words else "",
        more=" · ".join(more_of(entry)),
        subject=subject,
        url=url,
        hash=bytes(entry.hash).hex(),
        fault=entry_fault(entry) or "",
        facts=_facts(entry),
    )


def _subject(entry: AuditEntry) -> tuple[str, str]:
    """What the entry is about, and its page."""
    if entry.operation is not None:
        return entry.operation.key, reverse("operations:detail", args=[entry.operation_id])
    detail = entry.detail if isinstance(entry.detail, dict) else {}
    named = [
        detail[name] for name in ("subject", "person", "agent", "environment") if name in detail
    ]
    return " ".join(str(word) for word in named if word) or entry.stream, ""


def _facts(entry: AuditEntry) -> list[tuple[str, str]]:
    own: dict[str, Any] = {
        "event": entry.event,
        "generation": entry.generation,
        "token": entry.token,
        "cause": entry.cause,
    }
    told = entry.detail if isinstance(entry.detail, dict) else {"detail": entry.detail}
    facts = {name: value for name, value in {**own, **told}.items() if value not in (None, "", [])}
    return [
        *((name.replace("_", " "), _fact(value)) for name, value in facts.items()),
        ("request id", entry.request_id or "none"),
        ("hash before", bytes(entry.prev_hash).hex()),
    ]


def _fact(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, dict) and "code" in each for each in value):
        value = ", ".join(
            f"{each['code']}{'' if each.get('is_open') else ' (closed)'}" for each in value
        )
    text = value if isinstance(value, str) else _plain(value)
    return shortened(text, limit=LONGEST_FACT)


def _plain(value: Any) -> str:
    try:
        return dumps(value)
    except TypeError:  # a float, which no entry of ours has
        return repr(value)
