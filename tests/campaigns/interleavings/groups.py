"""What can happen to one operation at the same time, grouped by the state it begins in."""

from collections.abc import Callable
from dataclasses import dataclass, field

from operations.actions.find_not_executed import find_not_executed
from operations.models import Operation
from operations.protocol.states import Executor
from tests.build import move_back
from tests.campaigns.harness.flows import cast, outside, states
from tests.campaigns.harness.flows.flow import Subject
from tests.campaigns.interleavings import acts
from tests.campaigns.interleavings.acts import Act
from tests.people import PAST_QUARANTINE_SECONDS, the_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Acts that may meet at one operation.

    `one_of`: sets of acts of which at most one may win. `never`: acts that may not win in any
    order. `shuts`: (one, other): once one has committed, the other commits nothing that it won.
    `threes`: acts that are run three at a time besides all pairs. `look_back` is asked after each
    order and says what may not be so, or nothing.
    """

    name: str
    arrange: Callable[[], Subject]
    acts: dict[str, Act]
    one_of: tuple[frozenset[str], ...] = ()
    never: frozenset[str] = field(default_factory=frozenset)
    shuts: tuple[tuple[str, str], ...] = ()
    threes: tuple[tuple[str, str, str], ...] = ()
    look_back: Callable[[Subject], str] | None = None


def _ready() -> Subject:
    return states.subject(states.ready("ready"))


def _claimed() -> Subject:
    operation = states.ready("claimed")
    return states.subject(operation, token=states.claimed(operation))


def _lease_over() -> Subject:
    operation = states.ready("over")
    token = states.claimed(operation, lease_seconds=60)
    move_back(operation, 61)
    return states.subject(operation, token=token)


def _marked() -> Subject:
    """Sent, arrived, and past the send deadline: all roads to the outcome are open."""
    operation, attempt = states.marked("marked")
    effect = outside.place(operation)["effect_id"]
    move_back(operation, PAST_QUARANTINE_SECONDS)
    return states.subject(operation, token=attempt.token, effect=effect)


def _asked(amount: str) -> Callable[[], Subject]:
    def arrange() -> Subject:
        operation = states.asked("asked", amount)
        return states.subject(operation, approval=the_request(operation).pk)

    return arrange


def _release_proposed() -> Subject:
    operation = states.unknown("release")
    proposal = states.propose_release(operation)
    return _late_effect(operation, proposal.pk)


def _not_executed_proposed() -> Subject:
    operation = states.unknown("finding")
    decided = find_not_executed(
        operation_id=operation.pk,
        actor=cast.actor("operator"),
        version=operation.version,
        reason="Nothing there.",
    )
    assert decided.proposal is not None
    return _late_effect(operation, decided.proposal.pk)


def _late_effect(operation: Operation, proposal: int) -> Subject:
    """The request arrives at the receiver after all, when nobody reckons with it."""
    effect = outside.place(operation)["effect_id"]
    return states.subject(operation, approval=proposal, effect=effect)


def _released() -> Subject:
    operation = states.released("again")
    return states.subject(operation, token=states.claimed(operation))


def _due() -> Subject:
    return states.subject(states.ready("due", executor=Executor.CONSOLE))


def _refused() -> Subject:
    return states.subject(states.refused("refused"))


YES, NO = "an approver says yes", "an approver says no"
AGREE, DECLINE = "the second person agrees", "the second person declines"

GROUPS = (
    Group(
        name="ready",
        arrange=_ready,
        acts={
            "claim": acts.claim,
            "another claim": acts.claim,
            "withdraw": acts.withdraw,
            "register again": acts.register_again,
            "webhook": acts.webhook,
        },
        one_of=(frozenset({"claim", "another claim"}),),
        threes=(("claim", "another claim", "claim"), ("claim", "withdraw", "webhook")),
    ),
    Group(
        name="claimed",
        arrange=_claimed,
        acts={
            "send": acts.send,
            "renew": acts.renew,
            "give back": acts.give_back,
            "withdraw": acts.withdraw,
            "halt": acts.halt,
            "sweep leases": acts.sweep_claims,
            "webhook": acts.webhook,
        },
        one_of=(frozenset({"send"}), frozenset({"send", "withdraw"})),
        shuts=(("halt", "send"),),
        threes=(("send", "withdraw", "halt"),),
    ),
    Group(
        name="the lease is over",
        arrange=_lease_over,
        acts={
            "send": acts.send,
            "renew": acts.renew,
            "claim": acts.claim,
            "sweep leases": acts.sweep_claims,
        },
        one_of=(frozenset({"claim"}),),
        never=frozenset({"send", "renew"}),
        threes=(("send", "claim", "sweep leases"),),
    ),
    Group(
        name="sent",
        arrange=_marked,
        acts={
            "report": acts.report,
            "webhook": acts.webhook,
            "reconcile": acts.reconcile,
            "refusal": acts.refusal,
            "end unknown": acts.end_unknown,
            "ask for a lookup": acts.ask_for_lookup,
            "sweep leases": acts.sweep_claims,
            "take the case": acts.take,
        },
        threes=(("report", "webhook", "reconcile"),),
    ),
    Group(
        name="a release is proposed, and the request arrives late",
        arrange=_release_proposed,
        acts={
            AGREE: acts.second(1, is_yes=True),
            "another agrees": acts.second(2, is_yes=True),
            DECLINE: acts.second(3, is_yes=False),
            "webhook": acts.webhook,
            "reconcile": acts.reconcile,
        },
        one_of=(frozenset({AGREE, "another agrees", DECLINE}),),
    ),
    Group(
        name="not executed is proposed, and the request arrives late",
        arrange=_not_executed_proposed,
        acts={
            AGREE: acts.second(1, is_yes=True),
            DECLINE: acts.second(3, is_yes=False),
            "webhook": acts.webhook,
            "reconcile": acts.reconcile,
            "sweep requests": acts.sweep_approvals,
        },
        one_of=(frozenset({AGREE, DECLINE}),),
        threes=((AGREE, "webhook", "reconcile"),),
    ),
    Group(
        name="one approval is needed",
        arrange=_asked("150.00"),
        acts={
            YES: acts.answer(1, is_yes=True),
            "another says yes": acts.answer(2, is_yes=True),
            NO: acts.answer(3, is_yes=False),
            "withdraw": acts.withdraw,
            "register again": acts.register_again,
        },
        one_of=(frozenset({YES, "another says yes", NO}), frozenset({NO, "withdraw"})),
        threes=((YES, NO, "withdraw"),),
    ),
    Group(
        name="two approvals are needed",
        arrange=_asked("1500.00"),
        acts={
            YES: acts.answer(1, is_yes=True),
            "another says yes": acts.answer(2, is_yes=True),
            NO: acts.answer(3, is_yes=False),
        },
        one_of=(frozenset({YES}),),
        threes=((YES, "another says yes", NO),),
    ),
    Group(
        name="released and claimed",
        arrange=_released,
        acts={"send": acts.send, "webhook": acts.webhook, "halt": acts.halt},
        one_of=(frozenset({"send"}),),
        shuts=(("halt", "send"), ("webhook", "send")),
        threes=(("send", "webhook", "halt"),),
    ),
    Group(
        name="due at the console",
        arrange=_due,
        acts={
            "dispatch": acts.dispatch,
            "withdraw": acts.withdraw,
            "halt": acts.halt,
            "webhook": acts.webhook,
        },
    ),
    Group(
        name="refused",
        arrange=_refused,
        acts={"supersede": acts.supersede, "webhook": acts.webhook},
        one_of=(frozenset({"supersede"}),),
    ),
)
