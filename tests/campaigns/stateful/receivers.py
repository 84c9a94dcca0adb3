"""Rules: what receivers do, lookups, our own dispatcher, sweeps, and time."""

import json
from contextlib import nullcontext, suppress

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from operations.actions.claim_for_dispatch import claim_for_dispatch
from operations.actions.dispatch_operation import dispatch_operation
from operations.actions.expire_approvals import expire_approvals
from operations.actions.expire_claims import expire_claims
from operations.actions.mark_attempt import mark_attempt
from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import Refusal
from operations.protocol.states import Channel
from operations.protocol.states import ReceiptStatus as R
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.campaigns.stateful.places import PLACES, out_of_reach
from tests.campaigns.stateful.product import code_of
from tests.campaigns.stateful.reference import agents, lookups, sweeps
from tests.campaigns.stateful.reference.record import Receipt, Record, Said
from tests.campaigns.stateful.story import Story
from tests.campaigns.stateful.words import a_word, as_json

FAULTS = ("pending", "change_payload", "refuse", "lose_reply", "garbage_reply", "duplicate")
JUMPS = (1, 1, 2, 3, 5, 12, 31, 61, 100)


class Receivers(Story):
    """Everything that is neither an agent's nor a person's."""

    def send(self, record: Record, fault: str) -> None:
        """The one request of this generation, really sent; what it says is left for later rules."""
        operation = self.product.operation(record.key)
        self.arm(record, fault)
        self.post(record, operation.idempotency_key)
        self.see_truth(record)

    def post(self, record: Record, key: str) -> None:
        """The answer may be lost or broken; what happened is seen in the receiver's own record."""
        with suppress(httpx.HTTPError):
            payload = json.loads(record.payload)
            self.stage.rig.sandbox.post_order(record.key, payload, key=key)

    def arm(self, record: Record, fault: str) -> None:
        sandbox = self.stage.rig.sandbox
        self.truth.setdefault(record.key, None)
        if record.place.window is None:
            sandbox.fault(record.key, "ignore_key")
        if fault:
            sandbox.fault(record.key, fault)

    def see_truth(self, record: Record) -> None:
        """What the receiver has under this key now."""
        answer = self.stage.rig.sandbox.order(record.key)
        if answer.status_code == 200:
            self.truth[record.key] = said_by(answer.json(), record)

    @precondition(lambda self: any(t and t.status is R.PENDING for t in self.truth.values()))
    @rule(data=st.data())
    def receiver_finishes(self, data: st.DataObject) -> None:
        def is_pending(record: Record) -> bool:
            said = self.truth.get(record.key)
            return said is not None and said.status is R.PENDING

        record = self.pick(data, is_pending)
        self.stage.rig.sandbox.clear_faults(record.key)
        self.see_truth(record)
        self.do("receiver finishes", record, "", "")

    @precondition(lambda self: self.records)
    @rule(data=st.data())
    def webhook(self, data: st.DataObject) -> None:
        record = self.mostly(data, lambda r: r.attempts)
        said = data.draw(a_word(record, self.truth.get(record.key)))
        place = data.draw(st.sampled_from([record.place.name] * 9 + ["alone"]))
        got = self.product.webhook(place, as_json(record, said))
        expected = str(agents.webhook(self.book, record.key, place, said))
        if expected == "unmatched":
            self.keep_early(place, record.key, said)
        self.do(f"webhook: {place} {said}", record, *codes(expected, got))

    @precondition(lambda self: self.is_rare("webhook comes early"))
    @rule(place=st.sampled_from(sorted(PLACES)), status=st.sampled_from(tuple(R)))
    def webhook_comes_early(self, place: str, status: R) -> None:
        key = self.new_key()
        said = Said(status=status, effect=f"{key}-a")
        data = {"operation_id": key, "status": str(status), "effect_id": said.effect, "payload": 0}
        got = self.product.webhook(place, data)
        self.early_keys.append((place, key))
        self.keep_early(place, key, said)
        self.do("webhook comes early", None, *codes("unmatched", got))

    def keep_early(self, place: str, key: str, said: Said) -> None:
        row = Receipt(
            said=said, channel=Channel.WEBHOOK, verdict=V.KEPT, generation=0, is_open=True
        )
        self.book.unmatched.setdefault((place, key), []).append(row)

    @precondition(lambda self: self.those(lambda r: r.attempts))
    @rule(
        data=st.data(),
        agent=st.sampled_from(("ours",) * 9 + ("theirs",)),
        how=st.sampled_from(("asks", "asks", "asks", "out of reach", "hides")),
    )
    def looks_up(self, data: st.DataObject, agent: str, how: str) -> None:
        record = self.pick(data, lambda r: r.attempts)
        self.look_up(record, agent=agent, how=how)

    def look_up(self, record: Record, *, agent: str = "ours", how: str = "asks") -> None:
        got = code_of(self.product.act(agent, record.key, "/lookups"))
        expected = agents.request_lookup(record, agent=agent)
        self.do("asks for a lookup", record, expected, got)
        if not got:
            self.reconcile(record, how)

    def reconcile(self, record: Record, how: str) -> None:
        """It is due: the real receiver is asked, where the rules say that it may be."""
        operation = self.product.operation(record.key)
        may = lookups.may_look_up(record)
        said = self.truth.get(record.key)
        if how == "hides" and record.place.window is not None and may:
            self.stage.rig.sandbox.fault(record.key, "hide_lookup", times=1)
            said = None
        answer = "could_not_ask" if how == "out of reach" else "found" if said else "not_found"
        with out_of_reach(record.place) if how == "out of reach" else nullcontext():
            got = reconcile_operation(operation_id=operation.pk, holder="worker")
        if may:
            lookups.looked_up(record, answer=answer, said=said if answer == "found" else None)
        elif not record.place.lookup:
            lookups.ask_a_person(record)
        expected = "looked_up" if may else str(got) if not record.place.lookup else "not_due"
        self.do(f"looks up: {answer if may else 'not at all'}", record, *codes(expected, got))

    @precondition(lambda self: self.those(lambda r: r.by_console and r.state is S.READY))
    @rule(
        data=st.data(),
        fault=st.sampled_from(("", "", *FAULTS)),
        dies=st.sampled_from(("", "", "", "before the mark", "before the call", "after the call")),
    )
    def dispatches(self, data: st.DataObject, fault: str, dies: str) -> None:
        record = self.pick(data, lambda r: r.by_console and r.state is S.READY)
        seen = self.seen[record.key]
        is_due = seen["next_try_at"] is not None and seen["next_try_at"] <= seen["now"]
        is_taken = is_due and sweeps.dispatcher_claims(record)
        operation = self.product.operation(record.key)
        self.arm(record, fault)
        if dies:
            got = self.die(operation, dies)
        else:
            got = dispatch_operation(operation_id=operation.pk, holder="worker")
        expected = "not_due"
        if is_taken:
            token = Operation.objects.get(pk=operation.pk).claim_token
            agents.take(record, agent="dispatcher", token=token, minutes=1)
            expected = self.dispatched(record, token, fault=fault, dies=dies)
        if not record.attempts:
            self.stage.rig.sandbox.clear_faults(record.key)
        self.do(f"dispatches: {dies or fault or 'well'}", record, *codes(expected, got))

    def die(self, operation: Operation, dies: str) -> str:
        """The dispatcher, up to the point where its process dies."""
        actor = Actor.system("dispatcher")
        claim = claim_for_dispatch(operation_id=operation.pk, holder="worker", actor=actor)
        if claim is None:
            return "not_due"
        if dies != "before the mark":
            try:
                mark_attempt(operation_id=operation.pk, actor=actor, token=claim.token)
            except Refusal as refusal:
                return refusal.code
        if dies == "after the call":
            self.post(self.book.records[operation.key], operation.idempotency_key)
        return "died"

    def dispatched(self, record: Record, token: int, *, fault: str, dies: str) -> str:
        """The reference of one dispatch under its token; its outcome."""
        if dies == "before the mark":
            return "died"
        code = agents.mark(record, agent="dispatcher", token=token)
        if code:
            if not dies:
                record.void_claim()
            return code if dies else "held_back"
        if dies == "before the call":
            return "died"
        self.see_truth(record)
        if dies:
            return "died"
        self.hear(record, token, fault)
        return "called"

    def hear(self, record: Record, token: int, fault: str) -> None:
        """What the dispatcher is told, and what it makes of it."""
        given = {"agent": "dispatcher", "token": token}
        said = self.truth[record.key]
        if fault in ("lose_reply", "garbage_reply"):
            number = record.generation
            agents.report_end(record, generation=number, outcome="unknown", **given)
        elif fault == "duplicate":
            agents.report_refusal(record, word="duplicate", **given)
        elif said is None:
            agents.report_refusal(record, word="definite", **given)
        else:
            agents.report_receipt(record, said, **given)

    @precondition(lambda self: self.records)
    @rule(minutes=st.sampled_from(JUMPS))
    def time_passes(self, minutes: int) -> None:
        self.let_time_pass(minutes)

    def let_time_pass(self, minutes: int) -> None:
        self.product.pass_time(minutes)
        self.book.pass_time(minutes)
        self.do(f"time passes: {minutes} min", None, "", "")

    @precondition(lambda self: self.those(lambda r: r.claim))
    @rule(data=st.data())
    def lease_runs_out(self, data: st.DataObject) -> None:
        record = self.pick(data, lambda r: r.claim)
        minutes = record.claim.until - self.book.now
        self.product.pass_time(minutes)
        self.book.pass_time(minutes)
        self.do(f"lease runs out: {minutes} min of {record.key}", None, "", "")

    @precondition(lambda self: self.records and self.done["sweeps"] * 10 < len(self.told))
    @rule()
    def sweeps(self) -> None:
        """Each sweep as beat starts it; the lookups that are due then, in order of key."""
        expire_claims(limit=100)
        expire_approvals(limit=100)
        sweeps.expire(self.book)
        self.compare(everything=True)
        # As those before left it: they may have planned a look-up anew.
        overdue = {key: sweeps.is_overdue(seen) for key, seen in self.seen.items()}
        stall_overdue(limit=100)
        sweeps.stall(self.book, overdue=overdue)
        self.do("sweeps", None, "", "")
        for key, seen in sorted(self.seen.items()):
            is_due = seen["next_try_at"] is not None and seen["next_try_at"] <= seen["now"]
            if is_due and seen["state"] in (S.SENT_UNKNOWN, S.CONFIRMED):
                self.reconcile(self.book.records[key], "asks")


def codes(expected: str, got: str) -> tuple[str, str]:
    """Outcomes that are no refusals: equal ones are no code."""
    same = str(expected) == str(got)
    return ("", "") if same else (str(expected), str(got))


def said_by(receipt: dict, record: Record) -> Said:
    """The receiver's own record in the words of the reference."""
    is_same = receipt["payload"] == json.loads(record.payload)
    return Said(
        status=R(receipt["status"]),
        effect=receipt["effect_id"],
        payload="same" if is_same else "other",
    )
