"""Rules: what people decide, propose, second, and are not allowed to."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from operations.actions.attest_receipt import attest_receipt
from operations.actions.close_attempt import close_attempt
from operations.actions.decide_approval import decide_approval
from operations.actions.entered_receipt import Entered
from operations.actions.find_not_executed import find_not_executed
from operations.actions.hand_back_case import hand_back_case
from operations.actions.release_operation import release_operation
from operations.actions.set_aside_evidence import set_aside_evidence
from operations.actions.take_case import take_case
from operations.actions.withdraw_operation import withdraw_operation
from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import ChoiceCode as C
from operations.protocol.states import Finding
from operations.protocol.states import State as S
from tests.campaigns.stateful.agents import Agents, is_unknown, may_be_sent
from tests.campaigns.stateful.reference import people as rules
from tests.campaigns.stateful.reference import reviews
from tests.campaigns.stateful.reference.people import By
from tests.campaigns.stateful.reference.record import Receipt, Record
from tests.campaigns.stateful.words import a_word, other_of

WHY = "By the receiver's own books."
OPERATORS = ("otto",) * 8 + ("olga", "olga", "rita", "vera", "anna")
SECONDS = ("olga", "anna", "anna", "adam", "otto", "rita", "vera")
APPROVERS = ("anna",) * 4 + ("adam",) * 3 + ("rita", "otto")


def somebody(names: tuple[str, ...]) -> st.SearchStrategy[By]:
    """Mostly on the version that they were shown."""
    stale = st.sampled_from((False,) * 11 + (True,))
    return st.builds(By, name=st.sampled_from(names), is_stale=stale)


class People(Agents):
    """Approve, reject, attest, release, set aside."""

    def shown(self, record: Record, by: By) -> dict:
        """What a form carries: whose operation, and the version that was shown."""
        seen = self.seen[record.key]
        operation_id = self.product.operation(record.key).pk
        version = seen["version"] - 1 if by.is_stale else seen["version"]
        return {"operation_id": operation_id, "version": version, "by": by.name}

    @precondition(lambda self: self.those(lambda r: r.requests))
    @rule(data=st.data(), by=somebody(APPROVERS), is_yes=st.sampled_from((True,) * 4 + (False,)))
    def answers(self, data: st.DataObject, by: By, is_yes: bool) -> None:
        record = self.pick(data, lambda r: r.requests)
        number = data.draw(st.sampled_from([-1] * 5 + list(range(len(record.requests)))))
        asked = self.product.requests(record.key)[number]
        version = self.seen[record.key]["version"] - by.is_stale
        got = self.product.decide(
            decide_approval,
            by=by.name,
            approval_id=asked.pk,
            is_yes=is_yes,
            reason=WHY,
            digest_seen=asked.payload_digest,
            version=version,
        )
        expected = rules.answer(record, by, is_yes=is_yes, number=number)
        self.do(f"answers: {by} {is_yes}", record, expected, got)

    @precondition(lambda self: self.those(lambda r: r.proposals))
    @rule(data=st.data(), by=somebody(SECONDS), is_yes=st.sampled_from((True,) * 4 + (False,)))
    def seconds(self, data: st.DataObject, by: By, is_yes: bool) -> None:
        record = self.pick(data, lambda r: r.proposals)
        number = data.draw(st.sampled_from([-1] * 5 + list(range(len(record.proposals)))))
        self.second(record, by, is_yes=is_yes, number=number)

    def second(self, record: Record, by: By, *, is_yes: bool = True, number: int = -1) -> str:
        asked = self.product.proposals(record.key)[number]
        got = self.product.decide(
            decide_approval,
            by=by.name,
            approval_id=asked.pk,
            is_yes=is_yes,
            reason=WHY,
            digest_seen=asked.payload_digest,
            version=self.seen[record.key]["version"] - by.is_stale,
        )
        expected = rules.second(record, record.proposals[number], by, is_yes=is_yes)
        self.do(f"seconds: {asked.choice} {by} {is_yes}", record, expected, got)
        return got

    @precondition(lambda self: self.may("releases", is_unknown))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def releases(self, data: st.DataObject, by: By) -> None:
        self.release(self.mostly(data, is_unknown), by)

    def release(self, record: Record, by: By) -> str:
        got = self.product.decide(release_operation, reason=WHY, **self.shown(record, by))
        expected = rules.begin(record, by, rules.SETTLES, C.RELEASE) or rules.perform(
            record,
            by,
            lambda asker: rules.release(record, asker),
            needs_second=record.place.second or record.place.window is None,
        )
        self.do(f"releases: {by}", record, expected, got)
        return got

    @precondition(lambda self: self.may("finds not executed", is_unknown))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def finds_not_executed(self, data: st.DataObject, by: By) -> None:
        self.find_nothing(self.mostly(data, is_unknown), by)

    def find_nothing(self, record: Record, by: By) -> str:
        got = self.product.decide(
            find_not_executed, reason=WHY, named_answer="the desk, noon", **self.shown(record, by)
        )
        expected = rules.begin(record, by, rules.SETTLES, C.NOT_EXECUTED) or rules.perform(
            record,
            by,
            lambda _: rules.find_not_executed(record),
            needs_second=record.place.second or not record.place.lookup,
        )
        self.do(f"finds not executed: {by}", record, expected, got)
        return got

    @precondition(lambda self: self.those(lambda r: r.state is S.SENT_UNKNOWN))
    @rule(data=st.data(), releases=st.booleans(), second=st.sampled_from(("anna", "olga", "")))
    def two_people_decide(self, data: st.DataObject, releases: bool, second: str) -> None:
        """As it should go: the quarantine over, a fresh look, one proposes, another agrees."""
        record = self.pick(data, lambda r: r.state is S.SENT_UNKNOWN)
        if record.quarantine > self.book.now:
            self.let_time_pass(record.quarantine - self.book.now)
        if record.place.lookup:
            self.look_up(record)
        decide = self.release if releases else self.find_nothing
        code = decide(record, By(name="otto"))
        if not code and second and record.proposals and record.proposals[-1].status is A.OPEN:
            self.second(record, By(name=second))

    @precondition(lambda self: self.may("attests", is_unknown))
    @rule(data=st.data(), by=somebody(OPERATORS), insists=st.booleans())
    def attests(self, data: st.DataObject, by: By, insists: bool) -> None:
        record = self.mostly(data, is_unknown)
        said = data.draw(a_word(record, self.truth.get(record.key)).filter(_can_be_typed))
        texts = {"same": record.payload, "other": other_of(record.payload), "none": ""}
        entered = Entered(
            operation_key=record.key,
            effect_id=said.effect,
            status=str(said.status),
            evidence="their letter",
            payload_text=texts[said.payload],
        )
        given = {"entered": entered, "insists": insists, "reason": WHY}
        got = self.product.decide(attest_receipt, **given, **self.shown(record, by))
        expected = rules.attest(record, by, said, insists=insists)
        self.do(f"attests: {by} {said}", record, expected, got)

    @precondition(lambda self: self.those(lambda r: r.unexplained))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def sets_aside(self, data: st.DataObject, by: By) -> None:
        record = self.pick(data, lambda r: r.unexplained)
        row = data.draw(st.sampled_from([*record.receipts, *record.reports]))
        operation = self.product.operation(record.key)
        if isinstance(row, Receipt):
            rows = list(operation.receipts.order_by("id"))
            given = {"receipt_id": rows[index_of(record.receipts, row)].pk}
        else:
            reports = self.product.stale_reports(record.key)
            given = {"attempt_end_id": reports[index_of(record.reports, row)].pk}
        got = self.product.decide(
            set_aside_evidence,
            finding=Finding.NOT_OURS,
            reason=WHY,
            **given,
            **self.shown(record, by),
        )
        expected = reviews.propose_to_set_aside(record, by, row)
        self.do(f"sets aside: {by}", record, expected, got)

    @precondition(lambda self: self.those(lambda r: r.attempts))
    @rule(data=st.data(), by=somebody(SECONDS))
    def closes_an_attempt(self, data: st.DataObject, by: By) -> None:
        record = self.pick(data, lambda r: r.attempts)
        number = data.draw(st.sampled_from([each.generation for each in record.attempts]))
        given = self.shown(record, by)
        got = self.product.decide(close_attempt, generation=number, reason=WHY, **given)
        expected = rules.close_attempt(record, by, generation=number)
        self.do(f"closes an attempt: {by}", record, expected, got)

    @precondition(lambda self: self.may("takes", lambda r: r.reviews))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def takes(self, data: st.DataObject, by: By) -> None:
        record = self.mostly(data, lambda r: r.reviews)
        got = self.product.decide(take_case, lease_seconds=120, **self.shown(record, by))
        expected = rules.take_case(record, by, minutes=2)
        self.do(f"takes: {by}", record, expected, got)

    @precondition(lambda self: self.those(lambda r: r.slot))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def hands_back(self, data: st.DataObject, by: By) -> None:
        record = self.pick(data, lambda r: r.slot)
        got = self.product.decide(hand_back_case, **self.shown(record, by))
        self.do(f"hands back: {by}", record, rules.hand_back(record, by), got)

    @precondition(lambda self: self.may("withdraws", may_be_sent))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def withdraws(self, data: st.DataObject, by: By) -> None:
        record = self.mostly(data, may_be_sent)
        got = self.product.decide(withdraw_operation, reason=WHY, **self.shown(record, by))
        self.do(f"withdraws: {by}", record, rules.withdraw_by_person(record, by), got)


def index_of(rows: list, row: object) -> int:
    return next(number for number, each in enumerate(rows) if each is row)


def _can_be_typed(said) -> bool:
    return bool(said.effect) and not said.foreign
