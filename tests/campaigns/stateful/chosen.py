"""One told story for each rule that a fault may break, under the name that `--focus` asks for."""

from collections.abc import Callable

from operations.protocol.states import ReceiptStatus as R
from tests.campaigns.stateful.scenes import ADAM, ANNA, OTTO, Chosen, Scenes
from tests.campaigns.stateful.tour import CHAPTERS

type Tale = Callable[[Scenes], None]


def quarantine(story: Scenes) -> None:
    order, by_hand = story.unknown("alone"), story.unknown("manual")
    story.let_time_pass(2)
    story.look_up(order)
    story.release(order, OTTO)
    story.find_nothing(order, OTTO)
    story.find_nothing(by_hand, OTTO)


def old_look_up(story: Scenes) -> None:
    order = story.unknown("alone")
    story.let_time_pass(3)
    story.look_up(order)
    story.let_time_pass(2)
    story.release(order, OTTO)


def unexplained_evidence(story: Scenes) -> None:
    order = story.unknown("alone")
    story.hears(order, status=R.PENDING)
    story.let_time_pass(3)
    story.look_up(order)
    story.release(order, OTTO)


def second_person(story: Scenes) -> None:
    for place in ("sandbox", "keyless"):
        order = story.registered(place)
        token = story.marked(order)
        story.reports_an_end(Chosen(order, token), "unknown")
        story.let_time_pass(3)
        story.look_up(order)
        story.release(order, OTTO)


def over_window(story: Scenes) -> None:
    order = story.unknown("sandbox")
    story.let_time_pass(95)
    story.look_up(order)
    story.release(order, OTTO)


def open_attempt(story: Scenes) -> None:
    order = story.unknown("keyless")
    story.let_time_pass(3)
    story.look_up(order)
    story.release(order, OTTO)


def rejected(story: Scenes) -> None:
    refund = story.unknown("alone", amount="150.00")
    story.let_time_pass(3)
    story.look_up(refund)
    story.release(refund, OTTO)
    story.answered(refund, ADAM, is_yes=False)
    story.look_up(refund)
    story.release(refund, OTTO)


def halted_release(story: Scenes) -> None:
    order = story.unknown("alone")
    story.let_time_pass(3)
    story.look_up(order)
    story.halts("alone", OTTO)
    story.release(order, OTTO)


def halted_mark(story: Scenes) -> None:
    order = story.registered()
    token = story.claimed(order)
    story.halts("sandbox", OTTO)
    story.mark(order, agent="ours", token=token, fault="dies")


def missing_approval(story: Scenes) -> None:
    refund = story.registered(amount="150.00")
    story.answered(refund, ANNA)
    story.let_time_pass(20)
    story.marked(refund)


def stale_release(story: Scenes) -> None:
    order = story.unknown()
    story.released(order)
    story.let_time_pass(2)
    story.marked(order)


def open_review(story: Scenes) -> None:
    order = story.registered()
    token = story.claimed(order)
    story.hears(order)
    story.mark(order, agent="ours", token=token, fault="dies")


def older_token(story: Scenes) -> None:
    order = story.registered()
    older = story.claimed(order)
    story.lease_runs_out(Chosen(order))
    story.mark(order, agent="ours", token=older, fault="dies")
    story.claimed(order)
    story.mark(order, agent="ours", token=older, fault="dies")


def foreign_environment(story: Scenes) -> None:
    order, other = story.unknown(), story.registered("alone")
    token = story.marked(other)
    story.hears(order, foreign=True)
    story.reported(other, token, foreign=True)


def stale_report(story: Scenes) -> None:
    order = story.registered()
    older = story.marked(order)
    story.released(order)
    story.marked(order)
    story.reported(order, older)


def refusal_of_two(story: Scenes) -> None:
    order = story.unknown()
    story.released(order)
    token = story.marked(order)
    story.reports_a_refusal(Chosen(order, token), "definite")


def another_payload(story: Scenes) -> None:
    order = story.registered()
    story.registers_again(Chosen(order), "ours", "same")
    story.registers_again(Chosen(order), "ours", "payload")


def before_the_deadline(story: Scenes) -> None:
    order = story.registered()
    token = story.marked(order)
    story.gives_back(Chosen(order, token), "ours")
    story.look_up(order)


def late_end(story: Scenes) -> None:
    for place in ("keyless", "manual"):
        order = story.registered(place)
        token = story.marked(order)
        story.let_time_pass(3)
        story.reports_a_refusal(Chosen(order, token), "other")
        story.sweeps()
        story.let_time_pass(2)
        story.sweeps()


def overdue_proposal(story: Scenes) -> None:
    taken, closed = story.unknown(), story.unknown()
    story.let_time_pass(3)
    for order in (taken, closed):
        story.look_up(order)
        story.find_nothing(order, OTTO)
    story.let_time_pass(31)
    story.takes(Chosen(taken), OTTO)
    story.closes_an_attempt(Chosen(closed, 1), ANNA)
    story.second(taken, ANNA)
    story.second(closed, ADAM)


RULES: dict[str, Tale] = {
    "release: quarantine": quarantine,
    "release: old look-up": old_look_up,
    "release: unexplained evidence": unexplained_evidence,
    "release: second person": second_person,
    "release: key window": over_window,
    "release: open attempt": open_attempt,
    "release: rejected": rejected,
    "release: halted": halted_release,
    "mark: halted": halted_mark,
    "mark: missing approval": missing_approval,
    "mark: stale release": stale_release,
    "mark: open review": open_review,
    "mark: older token": older_token,
    "receipt: foreign environment": foreign_environment,
    "receipt: stale report": stale_report,
    "refusal: two attempts": refusal_of_two,
    "register: another payload": another_payload,
    "proposal: overdue": overdue_proposal,
    "look-up: before the deadline": before_the_deadline,
    "look-up: end after the deadline": late_end,
}
TOUR: dict[str, Tale] = {f"tour: {each.__name__.replace('_', ' ')}": each for each in CHAPTERS}


def named(focus: str) -> dict[str, Tale]:
    """The told stories whose names hold this text."""
    return {name: tale for name, tale in {**TOUR, **RULES}.items() if focus in name}
