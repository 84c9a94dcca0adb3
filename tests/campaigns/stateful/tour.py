"""Told stories, chosen by hand: together they pass every transition of the table.

Random ones find what nobody thought of; these make sure of what everybody has to think of.
"""

from collections.abc import Callable

from operations.protocol.states import Finding
from operations.protocol.states import Question as Q
from operations.protocol.states import ReceiptStatus as R
from tests.campaigns.stateful.scenes import ADAM, ANNA, OTTO, RITA, Chosen, Scenes


def a_yes_that_ran_out_and_one_that_is_final(story: Scenes) -> None:
    refund = story.registered(amount="150.00")
    story.answered(refund, RITA)
    story.answered(refund, ANNA)
    story.let_time_pass(20)
    story.marked(refund)
    story.answered(refund, ADAM, is_yes=False)
    late = story.registered(amount="1500.00")
    story.answered(late, ANNA)
    story.let_time_pass(61)
    story.cancels(Chosen(late), "ours", False)
    story.hears(late)
    story.seconded(late, story.settle(late, OTTO, Q.LATE_RECEIPT, Finding.CORRECTED))


def a_withdrawal_and_an_unsent_send(story: Scenes) -> None:
    one, other = story.registered(), story.registered("alone")
    story.cancels(Chosen(one), "ours", False)
    story.withdraws(Chosen(other), OTTO)
    story.marked(one)


def a_release_that_is_used_up_again(story: Scenes) -> None:
    order = story.unknown()
    story.released(order)
    story.let_time_pass(1)
    story.marked(order)
    story.released(order)
    token = story.marked(order, fault="")
    story.reported(order, token)
    story.look_up(order)


def a_late_word_after_a_release(story: Scenes) -> None:
    for amount in ("", "150.00"):
        order = story.unknown(amount=amount)
        story.released(order)
        story.hears(order)
    refund = story.unknown(amount="150.00")
    story.released(refund)
    story.hears(refund, status=R.PENDING)
    story.released(refund)


def a_released_refund_that_is_rejected(story: Scenes) -> None:
    refund = story.unknown(amount="150.00")
    story.released(refund)
    story.answered(refund, ADAM, is_yes=False)
    story.releases(Chosen(refund), OTTO)


def a_no_of_the_receiver_that_was_none(story: Scenes) -> None:
    order = story.registered("alone")
    token = story.marked(order)
    story.reports_a_refusal(Chosen(order, token), "definite")
    story.supersedes(Chosen(order), OTTO)
    story.hears(order)
    story.seconded(order, story.settle(order, OTTO, Q.LATE_RECEIPT, Finding.CORRECTED))


def a_no_after_other_words(story: Scenes) -> None:
    order, other = story.registered(), story.registered("alone")
    token = story.marked(order)
    story.hears(order, status=R.PENDING)
    story.reports_a_refusal(Chosen(order, token), "definite")
    story.settle(order, OTTO, Q.LATE_RECEIPT, Finding.NOT_OURS)
    token = story.marked(other)
    story.gives_back(Chosen(other, token), "ours")
    story.reported(other, token)
    story.hears(other, status=R.REFUSED)
    story.settle(other, OTTO, Q.LATE_RECEIPT, Finding.NOT_OURS)


def what_people_found_was_wrong(story: Scenes) -> None:
    order = story.unknown("manual")
    story.let_time_pass(3)
    story.sweeps()
    story.seconded(order, story.find_nothing(order, OTTO))
    story.hears(order)
    story.seconded(order, story.settle(order, OTTO, Q.LATE_RECEIPT, Finding.CORRECTED))
    story.hears(order, effect=f"{order.key}-b")
    story.compensates(Chosen(order, Q.DUPLICATE_EFFECT), OTTO, True)


def a_dispatch_under_a_halt(story: Scenes) -> None:
    order = story.registered("sandbox", by_console=True)
    story.halts("sandbox", OTTO)
    story.dispatches(Chosen(order), "", "")
    story.resumes(Chosen("sandbox"))
    story.dispatches(Chosen(order), "lose_reply", "")
    story.let_time_pass(2)
    story.look_up(order)


CHAPTERS: tuple[Callable[[Scenes], None], ...] = (
    a_yes_that_ran_out_and_one_that_is_final,
    a_withdrawal_and_an_unsent_send,
    a_release_that_is_used_up_again,
    a_late_word_after_a_release,
    a_released_refund_that_is_rejected,
    a_no_of_the_receiver_that_was_none,
    a_no_after_other_words,
    what_people_found_was_wrong,
    a_dispatch_under_a_halt,
)
