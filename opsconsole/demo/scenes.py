"""Every story of the seeded history: how often it is told, how long ago, where and by whom."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from operations.protocol.states import Executor
from opsconsole.demo.catalogue import Catalogue, Request
from opsconsole.demo.stories import asked, decided, questions, settled, unknown
from opsconsole.demo.story import Story

MINUTE, HOUR, DAY = 60, 3600, 86_400
CONSOLE = Executor.CONSOLE

SMALL = partial(Catalogue.refund, at_least=100, below=1000)
LARGE = partial(Catalogue.refund, at_least=1000, below=4800)
DOLLARS = partial(Catalogue.refund, at_least=20, below=90, currency="USD")


@dataclass(frozen=True, slots=True)
class Scene:
    """`count` tellings of one story, begun between `youngest` and `oldest` seconds ago.

    `draw` names what is asked for; empty members of `at` mean "any of them".
    """

    tell: Callable[[Story], None]
    count: int
    youngest: float
    oldest: float
    draw: Callable[[Catalogue], Request] = Catalogue.any
    receiver: str = "sandbox"
    executor: Executor = Executor.AGENT
    environment: str = ""


SETTLED = (
    Scene(settled.answered, 62, 5 * MINUTE, 35 * DAY),
    Scene(settled.reply_lost, 17, 8 * MINUTE, 30 * DAY),
    Scene(settled.killed_while_waiting, 13, 6 * MINUTE, 21 * DAY),
    Scene(settled.committed_late, 8, 20 * MINUTE, 14 * DAY),
    Scene(settled.receiver_was_away, 3, 2 * HOUR, 10 * DAY),
    Scene(settled.told_by_webhook, 11, 15 * MINUTE, 20 * DAY),
    Scene(settled.sent_by_console, 30, 4 * MINUTE, 28 * DAY, executor=CONSOLE),
    Scene(settled.sent_by_console_and_lost, 10, 12 * MINUTE, 18 * DAY, executor=CONSOLE),
    Scene(settled.reported, 11, 30 * MINUTE, 26 * DAY, receiver="manual"),
    Scene(settled.refused, 8, 40 * MINUTE, 25 * DAY),
    Scene(settled.refused_to_console, 4, HOUR, 9 * DAY, executor=CONSOLE),
)

UNKNOWN = (
    Scene(unknown.nothing_found, 4, 4 * MINUTE, 5 * HOUR),
    Scene(unknown.nothing_found, 1, 3 * DAY, 4 * DAY),
    Scene(unknown.hidden, 2, 7 * MINUTE, 9 * HOUR),
    Scene(unknown.taken, 1, 25 * MINUTE, 50 * MINUTE),
    Scene(
        unknown.nothing_came_back,
        3,
        6 * MINUTE,
        30 * HOUR,
        receiver="manual",
        draw=Catalogue.order,
    ),
    Scene(unknown.in_quarantine, 2, 2, 4),
    Scene(unknown.sent_by_console, 2, 9 * MINUTE, 3 * HOUR, executor=CONSOLE),
    Scene(unknown.pending, 2, 11 * MINUTE, 2 * HOUR),
    Scene(unknown.not_begun, 4, 2 * MINUTE, 40 * MINUTE),
    Scene(unknown.held_by_agent, 2, 5, 20),
    Scene(unknown.claimed_in_vain, 2, 20 * MINUTE, 2 * HOUR),
)

QUESTIONS = (
    Scene(questions.other_payload, 3, 18 * MINUTE, 2 * DAY, draw=Catalogue.order),
    Scene(questions.late_receipt, 2, 2 * HOUR, 6 * DAY),
    Scene(questions.not_borne_out, 2, 35 * MINUTE, 20 * HOUR),
    Scene(questions.second_effect, 1, 3 * HOUR, 8 * HOUR),
    Scene(questions.called_duplicate, 2, 25 * MINUTE, 7 * HOUR),
)

ASKED = (
    Scene(asked.open_request, 4, 3 * MINUTE, 40 * MINUTE, draw=SMALL, executor=CONSOLE),
    Scene(asked.open_request, 1, 10 * MINUTE, 20 * MINUTE, draw=DOLLARS, executor=CONSOLE),
    Scene(asked.asked_again, 2, 9 * MINUTE, 45 * MINUTE, draw=SMALL, executor=CONSOLE),
    Scene(asked.one_of_two, 2, 8 * MINUTE, 35 * MINUTE, draw=LARGE, executor=CONSOLE),
    Scene(asked.granted_and_sent, 12, 45 * MINUTE, 24 * DAY, draw=SMALL, executor=CONSOLE),
    Scene(asked.granted_and_sent, 5, 50 * MINUTE, 16 * DAY, draw=SMALL),
    Scene(asked.granted_by_two, 5, 2 * HOUR, 22 * DAY, draw=LARGE, executor=CONSOLE),
    Scene(asked.yes_ran_out, 1, 30 * MINUTE, 45 * MINUTE, draw=SMALL),
    Scene(asked.rejected, 5, HOUR, 19 * DAY, draw=SMALL, executor=CONSOLE),
    Scene(asked.expired, 4, 3 * HOUR, 15 * DAY, draw=SMALL, executor=CONSOLE),
    Scene(asked.withdrawn, 5, 25 * MINUTE, 12 * DAY, draw=Catalogue.order),
    Scene(asked.possible_duplicate, 2, HOUR, 20 * HOUR, draw=Catalogue.order),
    Scene(asked.supersession, 1, 2 * HOUR, 9 * HOUR, draw=Catalogue.order),
    Scene(asked.superseded, 2, DAY, 8 * DAY, draw=Catalogue.order),
)

DECIDED = (
    Scene(decided.attestation_proposed, 1, 5 * MINUTE, 7 * MINUTE, receiver="manual"),
    Scene(decided.release_proposed, 1, 3 * MINUTE, 4 * MINUTE, environment="production"),
    Scene(decided.attested, 6, HOUR, 20 * DAY, receiver="manual"),
    Scene(decided.attestation_rejected, 1, 2 * HOUR, 6 * HOUR, receiver="manual"),
    Scene(decided.not_executed, 3, 3 * HOUR, 17 * DAY, receiver="manual"),
    Scene(decided.found_missing, 2, 2 * HOUR, 10 * DAY),
    Scene(decided.released, 1, 4 * MINUTE, 8 * MINUTE),
    Scene(decided.sent_again, 3, 2 * HOUR, 13 * DAY),
    Scene(decided.compensated, 2, 9 * HOUR, 11 * DAY, draw=Catalogue.order),
    Scene(decided.mismatch_not_ours, 2, 5 * HOUR, 9 * DAY, draw=Catalogue.order),
    Scene(decided.late_receipt_was_right, 2, 6 * HOUR, 14 * DAY),
    Scene(decided.reversed_by_receiver, 1, 2 * DAY, 6 * DAY, draw=Catalogue.refund),
)

SCENES = (*SETTLED, *UNKNOWN, *QUESTIONS, *ASKED, *DECIDED)
