"""What waited, or waits, for the yes of people before anything was sent."""

from contextlib import suppress
from dataclasses import replace

from operations.actions.cancel_operation import cancel_operation
from operations.actions.mark_attempt import mark_attempt
from operations.protocol.refusals import AlreadyDecided, ApprovalRequired
from operations.protocol.states import Executor
from opsconsole.demo.decisions import answer, supersede
from opsconsole.demo.stories import settled
from opsconsole.demo.story import Story


def open_request(story: Story) -> None:
    """Asked, and nobody has answered."""
    story.register()


def asked_again(story: Story) -> None:
    """The agent's run was restarted and asked again: the same request, observed."""
    story.register()
    for _ in range(3):
        story.register(after=70)


def one_of_two(story: Story) -> None:
    """A large sum: one person said yes, another has to."""
    story.register()
    answer(story, "approver", "Checked against the returned goods in Ghent.", after=180)


def granted_and_sent(story: Story) -> None:
    """A yes, and our own dispatcher sent it at once."""
    story.register()
    answer(story, "approver", "The parcel came back whole; agreed with customer care.")
    _send(story)


def granted_by_two(story: Story) -> None:
    """Two people said yes."""
    story.register()
    answer(story, "approver2", "Amount and order match the claim form.")
    answer(story, "approver", "Seen the photographs; agreed.", after=400)
    _send(story)


def yes_ran_out(story: Story) -> None:
    """The yes ended before the agent came to send: the same people are asked again."""
    story.register()
    answer(story, "approver", "Fine, if it goes out this morning.")
    token = story.claim(after=1000)
    with story.moment(1), suppress(ApprovalRequired):
        mark_attempt(
            operation_id=story.operation.pk, actor=story.cast.agent(story.agent), token=token
        )


def rejected(story: Story) -> None:
    """A no is final for this key."""
    story.register()
    answer(story, "approver2", "The customer kept the goods: no refund.", is_yes=False)


def expired(story: Story) -> None:
    """Nobody answered in time; the one who came late was told so."""
    story.register()
    with suppress(AlreadyDecided):
        answer(story, "approver", "Agreed.", after=4000)


def withdrawn(story: Story) -> None:
    """The agent did not need it any more, and nothing was sent."""
    story.register()
    with story.moment(300):
        cancel_operation(
            operation_id=story.operation.pk,
            actor=story.cast.agent(story.agent),
            version=story.now("version"),
            reason="The stock count was corrected; nothing is missing.",
        )


def possible_duplicate(story: Story) -> None:
    """The same request under another key: are these two?"""
    settled.answered(story)
    again = story.another(replace(story.request, key=f"{story.request.key}-again"))
    again.register(after=900)


def supersession(story: Story) -> None:
    """Refused; an operator asks for half of it in its place, and that too takes a yes."""
    replaced(story)


def superseded(story: Story) -> None:
    """The same, agreed to and sent."""
    follower = replaced(story)
    answer(follower, "approver2", "The supplier has that many in stock.")
    _send(follower)


def replaced(story: Story) -> Story:
    """A refused order; returns the story of the smaller one in its place."""
    settled.refused(story)
    half = max(1, story.request.payload["quantity"] // 2)
    request = replace(
        story.request,
        key=f"{story.request.key}-b",
        payload={**story.request.payload, "quantity": half},
        goal="Half the order, which the supplier has in stock.",
    )
    return supersede(story, "operator", request, "Refused for its size, says the supplier.")


def _send(story: Story) -> None:
    if story.executor == Executor.CONSOLE:
        story.dispatch()
        return
    story.mark(after=30)
    story.report(story.send())
    story.look_up(after=4)
