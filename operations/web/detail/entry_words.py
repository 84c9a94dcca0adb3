"""What an audit entry's detail says, in words: only what it holds, and never its raw JSON."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from operations.models import AuditEntry
from operations.protocol.words import shortened

type Telling = Callable[[AuditEntry, Mapping[str, Any]], Iterator[str]]

LONGEST = 300


def more_of(entry: AuditEntry) -> Iterator[str]:
    """The phrases that follow the event's sentence; none for an event that says it all."""
    telling = _TELLINGS.get(entry.event)
    if telling is not None:
        for words in telling(entry, entry.detail):
            yield shortened(words, limit=LONGEST)


def _registered(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield f"{said.get('kind')} at {said.get('receiver')}, {said.get('environment')}"
    yield "sent by the console" if said.get("executor") == "console" else "sent by its agent"


def _claimed(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield f"for {said.get('purpose', 'dispatch')}, token {entry.token}"
    if said.get("holder"):
        yield str(said["holder"])
    if said.get("lease_seconds"):
        yield f"lease {said['lease_seconds']} s"


def _marked(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield f"generation {entry.generation}, token {entry.token}"
    if said.get("send_within_seconds"):
        yield f"{said['send_within_seconds']} s to send"


def _ended(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield f"attempt {said.get('generation')}: {_plain(said.get('outcome'))}"


def _receipt(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("channel"):
        yield f"by {said['channel']}"
    if said.get("verdict") not in (None, "confirmed"):
        yield _plain(said["verdict"])
    if said.get("effect_id"):
        yield f"effect {shortened(str(said['effect_id']), limit=40)}"
    differing = said.get("differences")
    if differing:
        yield "differs at " + ", ".join(str(pointer) or "the payload" for pointer in differing[:5])


def _refusal(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield " ".join(str(said[name]) for name in ("status", "code") if said.get(name))
    yield "definite" if said.get("is_definite") else "not definite: it proves nothing"


def _lookup(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    status = f" ({said['status']})" if said.get("status") else ""
    yield f"{_plain(said.get('result'))}{status}"


def _planned(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("why"):
        yield str(said["why"])


def _review(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield _plain(said.get("question"))
    if said.get("why"):
        yield str(said["why"])


def _settled(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield _plain(said.get("question"))
    if said.get("finding"):
        yield f"finding: {_plain(said['finding'])}"


def _proposal(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    yield _plain(said.get("choice"))


def _yes(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("needed"):
        yield f"{said.get('given')} of {said['needed']}"
    if said.get("payload_digest"):
        yield f"digest {str(said['payload_digest'])[:12]}…"


def _follow_up(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("key"):
        yield f"by {said['key']}"


def _cause(entry: AuditEntry, said: Mapping[str, Any]) -> Iterator[str]:
    if entry.cause:
        yield _plain(entry.cause)


def _plain(word: object) -> str:
    return str(word or "nothing said").replace("_", " ")


_TELLINGS: dict[str, Telling] = {
    "register": _registered,
    "claim": _claimed,
    "mark": _marked,
    "end_attempt": _ended,
    "confirm": _receipt,
    "correct": _receipt,
    "corroborate": _receipt,
    "keep_receipt": _receipt,
    "keep_refusal": _refusal,
    "refuse": _refusal,
    "look_up": _lookup,
    "schedule_lookup": _planned,
    "open_review": _review,
    "settle_review": _settled,
    "propose": _proposal,
    "reject_proposal": _proposal,
    "approve": _yes,
    "answer_approval": _yes,
    "supersede": _follow_up,
    "compensate": _follow_up,
    "cancel": _cause,
    "turn_back": _cause,
    "give_back_claim": _cause,
}
