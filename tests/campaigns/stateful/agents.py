"""Rules: what agents do, and fail to do."""

import json

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from operations.protocol.states import State as S
from tests.campaigns.stateful.places import ENVIRONMENT, PLACES
from tests.campaigns.stateful.product import code_of
from tests.campaigns.stateful.receivers import Receivers
from tests.campaigns.stateful.reference import agents as rules
from tests.campaigns.stateful.reference import registering
from tests.campaigns.stateful.reference.record import WITHOUT_EFFECT, Record
from tests.campaigns.stateful.words import a_word, as_json, other_of, payload_of, same_of

MOST = 4


def may_be_sent(record: Record) -> bool:
    return record.state in (S.READY, S.AWAITING_APPROVAL) and not record.attempts


def is_unknown(record: Record) -> bool:
    return record.state is S.SENT_UNKNOWN


def is_over(record: Record) -> bool:
    return record.state in (*WITHOUT_EFFECT, S.CONFIRMED)


REFUNDS = {"50.00": 0, "150.00": 1, "1500.00": 2}
CODES = {
    "definite": (422, "order_refused"),
    "other": (503, "busy"),
    "duplicate": (409, "duplicate"),
}


class Agents(Receivers):
    """Register, claim, mark, send, report."""

    def a_record(self, place: str, amount: str, *, key: str = "", **given: object) -> Record:
        kind = "payment.refund" if amount else "supplier.order"
        return Record(
            book=self.book,
            key=key or self.new_key(),
            place=PLACES[place],
            agent="ours",
            responsible="rita",
            kind=kind,
            payload=payload_of(kind, amount),
            needed=REFUNDS.get(amount, 0),
            **given,
        )

    def register(self, record: Record, *, agent: str = "ours", payload: str = "") -> str:
        links = {}
        for name in ("supersedes", "compensates"):
            old = getattr(record, name)
            links[name] = str(self.product.operation(old.key).pk) if old else None
        body = {
            "key": record.key,
            "kind": record.kind,
            "receiver": record.place.name,
            "environment": ENVIRONMENT,
            "payload": json.loads(payload or record.payload),
            "executor": "console" if record.by_console else "agent",
            "reference": record.twin_of,
            **{name: pk for name, pk in links.items() if pk},
        }
        return code_of(self.product.call(agent, "POST", "", body))

    def is_room(self) -> bool:
        return len(self.book.records) < MOST

    @precondition(lambda self: self.is_room())
    @rule(
        place=st.sampled_from(sorted(PLACES)),
        amount=st.sampled_from(("", "", *REFUNDS)),
        by_console=st.sampled_from((False, False, True)),
        twin_of=st.sampled_from(("", "", "A-1")),
        is_early=st.booleans(),
    )
    def registers(
        self, place: str, amount: str, by_console: bool, twin_of: str, is_early: bool
    ) -> None:
        key = ""
        if is_early and self.early_keys:
            place, key = self.early_keys.pop()
        console = by_console and PLACES[place].lookup
        record = self.a_record(place, amount, key=key, by_console=console, twin_of=twin_of)
        got = self.register(record)
        self.do("registers", record, registering.register(record), got)

    @precondition(lambda self: self.records)
    @rule(
        data=st.data(),
        agent=st.sampled_from(("ours", "ours", "theirs")),
        how=st.sampled_from(("same", "same", "payload", "reference", "executor")),
    )
    def registers_again(self, data: st.DataObject, agent: str, how: str) -> None:
        record = self.pick(data, lambda _: True)
        changed = {"reference": {"twin_of": "B-2"}, "executor": {"by_console": True}}
        wanted = self.a_record(record.place.name, "", key=record.key)
        for name in ("kind", "payload", "by_console", "twin_of", "supersedes", "compensates"):
            setattr(wanted, name, changed.get(how, {}).get(name, getattr(record, name)))
        is_same = how == "same" or (how == "executor" and record.by_console)
        text = other_of(record.payload) if how == "payload" else same_of(record.payload)
        expected = registering.register_again(record, agent=agent, is_same=is_same)
        got = self.register(wanted, agent=agent, payload=text)
        self.do("registers again", record, expected, got)

    @precondition(lambda self: self.is_room() and self.may("registers a follow-up", is_over))
    @rule(data=st.data(), link=st.sampled_from(("supersedes", "supersedes", "compensates")))
    def registers_a_follow_up(self, data: st.DataObject, link: str) -> None:
        old = self.mostly(data, is_over)
        record = self.a_record(old.place.name, "", **{link: old})
        got = self.register(record)
        self.do("registers a follow-up", record, registering.register(record), got)

    @precondition(lambda self: self.those(lambda r: r.state is S.READY))
    @rule(
        data=st.data(),
        agent=st.sampled_from(("ours",) * 7 + ("theirs",)),
        minutes=st.sampled_from((1, 2, 5)),
        is_stale=st.sampled_from((False,) * 7 + (True,)),
    )
    def claims(self, data: st.DataObject, agent: str, minutes: int, is_stale: bool) -> None:
        record = self.pick(data, lambda r: r.state is S.READY)
        self.claim(record, agent=agent, minutes=minutes, is_stale=is_stale)

    @precondition(lambda self: self.is_rare("claims"))
    @rule(data=st.data())
    def claims_anything(self, data: st.DataObject) -> None:
        self.claim(self.pick(data, lambda _: True), agent="ours", minutes=2, is_stale=False)

    def claim(self, record: Record, *, agent: str, minutes: int, is_stale: bool) -> int:
        """The token, or 0."""
        version = self.seen[record.key]["version"] + (1000 if is_stale else 0)
        body = {"holder": "worker", "version": version, "lease_seconds": 60 * minutes}
        answer = self.product.act(agent, record.key, "/claims", body)
        token = answer.json.get("token", 0)
        given = {"agent": agent, "minutes": minutes, "is_stale": is_stale, "token": token}
        self.do("claims", record, rules.claim(record, **given), code_of(answer))
        return int(token)

    def a_token(self, data: st.DataObject, record: Record) -> int:
        """Mostly the current one; else an older one, or one that was never given."""
        given = [claim.token for claim in record.claims if claim.token]
        return data.draw(st.sampled_from([*given[-1:] * 5, *given, 999_999_999]))

    @precondition(lambda self: self.may("renews", lambda r: r.claim))
    @rule(data=st.data(), agent=st.sampled_from(("ours",) * 7 + ("theirs",)))
    def renews(self, data: st.DataObject, agent: str) -> None:
        record = self.mostly(data, lambda r: r.claim)
        token = self.a_token(data, record)
        got = code_of(self.product.act(agent, record.key, f"/claims/{token}/renewal"))
        self.do("renews", record, rules.renew(record, agent=agent, token=token), got)

    @precondition(lambda self: self.may("gives back", lambda r: r.claim))
    @rule(data=st.data(), agent=st.sampled_from(("ours",) * 7 + ("theirs",)))
    def gives_back(self, data: st.DataObject, agent: str) -> None:
        record = self.mostly(data, lambda r: r.claim)
        token = self.a_token(data, record)
        got = code_of(self.product.act(agent, record.key, f"/claims/{token}", method="DELETE"))
        self.do("gives back", record, rules.give_back(record, agent=agent, token=token), got)

    @precondition(lambda self: self.those(lambda r: r.claims))
    @rule(
        data=st.data(),
        agent=st.sampled_from(("ours",) * 7 + ("theirs",)),
        fault=st.sampled_from(("", "", "", "pending", "change_payload", "refuse", "dies")),
    )
    def marks(self, data: st.DataObject, agent: str, fault: str) -> None:
        record = self.pick(data, lambda r: r.claims)
        self.mark(record, agent=agent, token=self.a_token(data, record), fault=fault)

    @precondition(lambda self: self.those(lambda r: r.state is S.READY and not r.by_console))
    @rule(
        data=st.data(),
        fault=st.sampled_from(("", "pending", "change_payload", "refuse", "dies", "dies", "dies")),
    )
    def works(self, data: st.DataObject, fault: str) -> None:
        """Claim, mark and send in one go, as a worker does; what it hears comes later."""
        record = self.pick(data, lambda r: r.state is S.READY and not r.by_console)
        token = self.claim(record, agent="ours", minutes=2, is_stale=False)
        if token:
            self.mark(record, agent="ours", token=token, fault=fault)

    def mark(self, record: Record, *, agent: str, token: int, fault: str) -> None:
        got = code_of(self.product.act(agent, record.key, "/attempts", {"token": token}))
        expected = rules.mark(record, agent=agent, token=token)
        if not expected and not got and fault != "dies":
            self.send(record, fault)
        self.do(f"marks: then {fault or 'sends'}", record, expected, got)

    @precondition(lambda self: self.may("reports a receipt", is_unknown))
    @rule(data=st.data(), agent=st.sampled_from(("ours",) * 9 + ("theirs",)))
    def reports_a_receipt(self, data: st.DataObject, agent: str) -> None:
        record = self.mostly(data, is_unknown)
        token = self.a_token(data, record)
        said = data.draw(a_word(record, self.truth.get(record.key)))
        body = {"token": token, "receipt": as_json(record, said)}
        answer = self.product.act(agent, record.key, "/receipts", body)
        if agent == "theirs":
            expected, verdict = "not_found", None
        else:
            expected, verdict = rules.report_receipt(record, said, agent=agent, token=token)
        self.do(f"reports a receipt: {said}", record, expected, code_of(answer))
        if not expected and answer.json["verdict"] != verdict:
            self.fail(f"verdict: the rules say {verdict}, the product {answer.json['verdict']}")

    @precondition(lambda self: self.may("reports a refusal", is_unknown))
    @rule(data=st.data(), word=st.sampled_from(sorted(CODES)))
    def reports_a_refusal(self, data: st.DataObject, word: str) -> None:
        record = self.mostly(data, is_unknown)
        token = self.a_token(data, record)
        status, code = CODES[word]
        body = {"token": token, "status": status, "code": code, "raw": "no"}
        got = code_of(self.product.act("ours", record.key, "/refusals", body))
        expected = rules.report_refusal(record, agent="ours", token=token, word=word)
        self.do(f"reports a refusal: {word}", record, expected, got)

    @precondition(lambda self: self.those(lambda r: r.attempts))
    @rule(data=st.data(), outcome=st.sampled_from(("unknown", "not_sent")))
    def reports_an_end(self, data: st.DataObject, outcome: str) -> None:
        record = self.pick(data, lambda r: r.attempts)
        token, number = self.a_token(data, record), record.attempts[-1].generation
        body = {"token": token, "outcome": outcome, "detail": "the line was cut"}
        path = f"/attempts/{number}/end"
        got = code_of(self.product.act("ours", record.key, path, body))
        given = {"agent": "ours", "token": token, "generation": number, "outcome": outcome}
        self.do(f"reports an end: {outcome}", record, rules.report_end(record, **given), got)

    @precondition(lambda self: self.may("cancels", may_be_sent))
    @rule(
        data=st.data(),
        agent=st.sampled_from(("ours", "ours", "theirs")),
        is_stale=st.sampled_from((False, False, True)),
    )
    def cancels(self, data: st.DataObject, agent: str, is_stale: bool) -> None:
        record = self.mostly(data, may_be_sent)
        version = self.seen[record.key]["version"] + (1000 if is_stale else 0)
        body = {"version": version, "reason": "no longer wanted"}
        got = code_of(self.product.act(agent, record.key, "/cancellation", body))
        self.do("cancels", record, rules.cancel(record, agent=agent, is_stale=is_stale), got)
