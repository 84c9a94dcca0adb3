"""What can happen at the same time where people decide, grouped by what they are asked."""

from operations.models import Operation, Review
from operations.protocol.states import OPEN_STATES, Finding, Question
from tests.build import a_receipt, move_back, receive
from tests.campaigns.harness.flows import outside, states
from tests.campaigns.harness.flows.flow import Subject
from tests.campaigns.interleavings import acts, acts_of_people
from tests.campaigns.interleavings.groups import AGREE, DECLINE, NO, YES, Group
from tests.people import PAST_QUARANTINE_SECONDS, the_request

# Longer than any request or proposal lives.
LONG_AGO_SECONDS = 90 * 86_400


def _to_be_closed() -> Subject:
    """Sent by telephone; whether its sender lives is for people to find out."""
    operation, attempt = states.marked("closed", receiver="manual")
    move_back(operation, PAST_QUARANTINE_SECONDS)
    return states.subject(operation, token=attempt.token)


def _half_closed() -> Subject:
    subject = _to_be_closed()
    acts_of_people.close(1)(subject)
    return states.subject(subject.row, token=subject.given["token"])


def _late_at_not_executed() -> Subject:
    operation = states.not_executed("late")
    token = operation.attempts.get().token
    return states.subject(operation, token=token, effect=outside.place(operation)["effect_id"])


def _late_at_cancelled() -> Subject:
    subject = states.subject(states.ready("late"))
    acts.withdraw(subject)
    return states.subject(subject.row)


def _attested() -> Subject:
    """The effect is there, a look-up missed it, and a person read it off the record."""
    operation = states.unknown("attested")
    effect = outside.place(operation)["effect_id"]
    subject = states.subject(operation, effect=effect)
    acts_of_people.attest(1)(subject)
    return states.subject(operation, effect=effect, approval=states.proposed(operation).pk)


def _mismatched() -> Subject:
    """Another quantity came by webhook; the receiver's own record has the right one."""
    operation, _ = states.marked("mismatched")
    effect = outside.place(operation)["effect_id"]
    move_back(operation, PAST_QUARANTINE_SECONDS)
    other = {"sku": "vanilla", "quantity": 5}
    receive(operation, a_receipt(operation, payload=other, effect_id=f"other-{operation.key}"))
    review = states.reviewed(operation, Question.RECEIPT_MISMATCH)
    return states.subject(operation, effect=effect, review=review)


def _settling_proposed() -> Subject:
    subject = _mismatched()
    acts_of_people.settle(1, Finding.CONFIRMED_ATTESTED)(subject)
    proposal = states.proposed(subject.row).pk
    return states.subject(subject.row, **{**subject.given, "approval": proposal})


def _overdue() -> Subject:
    operation = states.asked("overdue")
    move_back(operation, LONG_AGO_SECONDS)
    return states.subject(operation, approval=the_request(operation).pk)


def _proposal_overdue() -> Subject:
    subject = _attested()
    move_back(subject.row, LONG_AGO_SECONDS)
    return states.subject(subject.row, **subject.given)


def _goes_on_beside_late_evidence(subject: Subject) -> str:
    """An operation that replaces one of which there may be an effect waits for a person."""
    asked = Review.objects.filter(closed_at=None)
    if not asked.filter(operation=subject.row.pk).exists():
        return ""
    followers = Operation.objects.filter(supersedes=subject.row.pk, state__in=OPEN_STATES)
    free = followers.exclude(pk__in=asked.values("operation")).count()
    return f"{free} successors wait for nobody beside a late receipt" if free else ""


ONE, ANOTHER, THIRD = "one closes it", "another closes it", "a third closes it"
NOT_OURS, OURS = "a person says not ours", "a person says ours"

GROUPS_OF_PEOPLE = (
    Group(
        name="an attempt to be closed",
        arrange=_to_be_closed,
        acts={
            ONE: acts_of_people.close(1),
            ANOTHER: acts_of_people.close(2),
            "end unknown": acts.end_unknown,
            "report": acts.report,
            "webhook": acts.webhook,
            "release": acts_of_people.release,
        },
        one_of=(frozenset({ONE}), frozenset({ANOTHER})),
        threes=((ONE, ANOTHER, "end unknown"),),
    ),
    Group(
        name="an attempt half closed",
        arrange=_half_closed,
        acts={
            ANOTHER: acts_of_people.close(2),
            THIRD: acts_of_people.close(3),
            "the same person closes it": acts_of_people.close(1),
            "end unknown": acts.end_unknown,
            "release": acts_of_people.release,
        },
        one_of=(frozenset({ANOTHER, THIRD}),),
        never=frozenset({"the same person closes it"}),
    ),
    Group(
        name="late on not executed",
        arrange=_late_at_not_executed,
        acts={
            "webhook": acts.webhook,
            "report": acts.report,
            "refusal": acts.refusal,
            "supersede": acts.supersede,
            "reconcile": acts.reconcile,
        },
        one_of=(frozenset({"supersede"}),),
        threes=(("webhook", "report", "supersede"),),
        look_back=_goes_on_beside_late_evidence,
    ),
    Group(
        name="late on cancelled",
        arrange=_late_at_cancelled,
        acts={
            "webhook": acts.webhook,
            "supersede": acts.supersede,
            "register again": acts.register_again,
        },
        one_of=(frozenset({"supersede"}),),
        threes=(("webhook", "webhook", "supersede"),),
        look_back=_goes_on_beside_late_evidence,
    ),
    Group(
        name="an attestation to be answered",
        arrange=_attested,
        acts={
            AGREE: acts.second(1, is_yes=True),
            "another agrees": acts.second(2, is_yes=True),
            DECLINE: acts.second(3, is_yes=False),
            "webhook": acts.webhook,
            "reconcile": acts.reconcile,
            "attest again": acts_of_people.attest(2),
        },
        one_of=(frozenset({AGREE, "another agrees", DECLINE}),),
        never=frozenset({"attest again"}),
        threes=((AGREE, DECLINE, "webhook"),),
    ),
    Group(
        name="a review against a look-up",
        arrange=_mismatched,
        acts={
            NOT_OURS: acts_of_people.settle(1, Finding.NOT_OURS),
            OURS: acts_of_people.settle(2, Finding.CONFIRMED_ATTESTED),
            "reconcile": acts.reconcile,
            "webhook": acts.webhook,
            "ask for a lookup": acts.ask_for_lookup,
        },
        one_of=(frozenset({NOT_OURS, OURS}),),
        threes=((NOT_OURS, OURS, "reconcile"),),
    ),
    Group(
        name="a settling is proposed, against a look-up",
        arrange=_settling_proposed,
        acts={
            AGREE: acts.second(1, is_yes=True),
            DECLINE: acts.second(3, is_yes=False),
            "reconcile": acts.reconcile,
            "webhook": acts.webhook,
        },
        one_of=(frozenset({AGREE, DECLINE}),),
        threes=((AGREE, "reconcile", "webhook"),),
    ),
    Group(
        name="an overdue request",
        arrange=_overdue,
        acts={
            YES: acts.answer(1, is_yes=True),
            NO: acts.answer(3, is_yes=False),
            "withdraw": acts.withdraw,
            "register again": acts.register_again,
            "sweep requests": acts.sweep_approvals,
        },
        never=frozenset({YES, NO}),
        threes=((YES, "sweep requests", "withdraw"),),
    ),
    Group(
        name="an overdue proposal",
        arrange=_proposal_overdue,
        acts={
            AGREE: acts.second(1, is_yes=True),
            DECLINE: acts.second(3, is_yes=False),
            "reconcile": acts.reconcile,
            "sweep requests": acts.sweep_approvals,
        },
        never=frozenset({AGREE, DECLINE}),
    ),
)
