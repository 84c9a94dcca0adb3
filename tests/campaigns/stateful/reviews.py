"""Rules: answers to reviews, operations that follow others, halts, and nonsense."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from operations.actions.compensate_operation import compensate_operation
from operations.actions.follow_up import FollowUp
from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.actions.settle_review import settle_review
from operations.actions.supersede_operation import supersede_operation
from operations.models import Halt
from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import ChoiceCode as C
from operations.protocol.states import Finding
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from tests.campaigns.stateful.agents import is_over
from tests.campaigns.stateful.nonsense import NONSENSE
from tests.campaigns.stateful.people import OPERATORS, WHY, People, somebody
from tests.campaigns.stateful.places import PLACES
from tests.campaigns.stateful.reference import people as rules
from tests.campaigns.stateful.reference import registering
from tests.campaigns.stateful.reference import reviews as ways_out
from tests.campaigns.stateful.reference.people import By
from tests.campaigns.stateful.reference.record import Record

FINDINGS = tuple(each for each in Finding if each not in (Finding.SETTLED, Finding.RELEASED))


class Reviews(People):
    """The last of the rules."""

    @precondition(lambda self: self.those(lambda r: r.reviews))
    @rule(data=st.data(), by=somebody(OPERATORS), second=st.sampled_from(("anna", "adam", "")))
    def settles(self, data: st.DataObject, by: By, second: str) -> None:
        record = self.pick(data, lambda r: r.reviews)
        question = data.draw(st.sampled_from(sorted(record.reviews)))
        ways = ways_out.exits(record, question)
        finding = data.draw(st.sampled_from([*ways] * 3 + [Finding.REVERSED]))
        code = self.settle(record, by, question, finding)
        if not code and second and record.proposals and record.proposals[-1].status is A.OPEN:
            self.second(record, By(name=second))

    def settle(self, record: Record, by: By, question: Q, finding: Finding) -> str:
        reviews = self.product.operation(record.key).reviews
        review = reviews.get(question=question, closed_at=None)
        given = {"review_id": review.pk, "finding": finding, "reason": WHY}
        got = self.product.decide(settle_review, **given, **self.shown(record, by))
        expected = ways_out.propose_to_settle(record, by, question, finding)
        self.do(f"settles: {by} {question} {finding}", record, expected, got)
        return got

    @precondition(lambda self: self.is_room() and self.may("supersedes", is_over))
    @rule(data=st.data(), by=somebody(OPERATORS))
    def supersedes(self, data: st.DataObject, by: By) -> None:
        old = self.mostly(data, is_over)
        new = self.follow_up(old, by, supersedes=old)
        code = rules.begin(old, by, rules.SETTLES, C.SUPERSEDE)
        wanted = FollowUp(key=new.key)
        given = {"wanted": wanted, "reason": WHY}
        got = self.product.decide(supersede_operation, **given, **self.shown(old, by))
        expected = code or registering.register(new, asked_by=by.name) or rules.leave(old)
        self.do(f"supersedes: {by}", old, expected, got)

    @precondition(lambda self: self.is_room() and self.those(lambda r: r.state is S.CONFIRMED))
    @rule(data=st.data(), by=somebody(OPERATORS), answers=st.booleans())
    def compensates(self, data: st.DataObject, by: By, answers: bool) -> None:
        old = self.pick(data, lambda r: r.state is S.CONFIRMED)
        question = data.draw(st.sampled_from(sorted(old.reviews))) if old.reviews else None
        review = None
        if answers and question:
            reviews = self.product.operation(old.key).reviews
            review = reviews.get(question=question, closed_at=None)
        new = self.follow_up(old, by, compensates=old)
        given = {"wanted": FollowUp(key=new.key), "reason": WHY, "review_id": review and review.pk}
        got = self.product.decide(compensate_operation, **given, **self.shown(old, by))
        expected = ways_out.compensate(old, new, by, question=question if review else None)
        self.do(f"compensates: {by}", old, expected, got)

    def follow_up(self, old: Record, by: By, **link: Record) -> Record:
        """As a person asks for it: the old one's request again, under a key of its own."""
        return Record(
            book=self.book,
            key=self.new_key(),
            place=old.place,
            agent=old.agent,
            responsible=old.responsible,
            requester=by.name,
            kind=old.kind,
            payload=old.payload,
            needed=old.needed,
            twin_of=old.twin_of,
            by_console=old.by_console,
            **link,
        )

    @precondition(lambda self: self.is_rare("halts"))
    @rule(place=st.sampled_from(sorted(PLACES)), by=somebody(("otto", "otto", "otto", "vera")))
    def halts(self, place: str, by: By) -> None:
        given = {"reason": WHY, "environment": "production", "receiver": place}
        got = self.product.decide(halt_dispatch, by=by.name, **given)
        may = bool(self.book.roles[by.name] & {"operator"})
        if may:
            self.book.halted.add(place)
        self.do(f"halts: {place} {by}", None, "" if may else "not_permitted", got)

    @precondition(lambda self: self.book.halted)
    @rule(data=st.data())
    def resumes(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(sorted(self.book.halted)))
        halt = Halt.objects.filter(receiver=place, lifted_at=None).get()
        got = self.product.decide(resume_dispatch, by="otto", halt_id=halt.pk, reason=WHY)
        self.book.halted.discard(place)
        self.do(f"resumes: {place}", None, "", got)

    @precondition(lambda self: self.is_rare("sends nonsense"))
    @rule(what=st.sampled_from(sorted(NONSENSE)))
    def sends_nonsense(self, what: str) -> None:
        expected, send = NONSENSE[what]
        self.do(f"sends nonsense: {what}", None, expected, send(self.product))
