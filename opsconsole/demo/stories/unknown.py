"""What is not over: waiting for its agent, for a lookup, for the quarantine, or for a person."""

from operations.actions.give_back_claim import give_back_claim
from opsconsole.demo.decisions import note, take
from opsconsole.demo.story import Story


def not_begun(story: Story) -> None:
    """Registered, and its agent has not come back for it."""
    story.register()


def held_by_agent(story: Story) -> None:
    """Its agent has just claimed it."""
    story.register()
    story.claim(lease_seconds=300)


def claimed_in_vain(story: Story) -> None:
    """Claimed again and again without a mark: the sweep calls it stalled."""
    story.register()
    for _ in range(3):
        token = story.claim(after=30)
        with story.moment(10):
            give_back_claim(
                operation_id=story.operation.pk,
                actor=story.cast.agent(story.agent),
                token=token,
            )


def nothing_found(story: Story) -> None:
    """The process died before the call. The receiver has nothing: a person decides."""
    story.register()
    story.mark()
    story.look_up(after=9)
    story.look_up(after=30)


def hidden(story: Story) -> None:
    """The receiver did it and its lookup does not show it: only its people can tell."""
    story.register()
    story.mark()
    story.cast.sandbox.arm(story.operation, "hide_lookup")
    story.send("lose_reply")
    story.give_up("RemoteProtocolError: the connection closed without an answer")
    story.look_up(after=30)


def taken(story: Story) -> None:
    """An operator has the case and left a note for whoever comes next."""
    hidden(story)
    note(story, "operator2", "Wrote to the sandbox team; they answer within the hour.")
    take(story, "operator2", lease_seconds=3 * 3600)


def nothing_came_back(story: Story) -> None:
    """A receiver that can't be looked up, and no receipt."""
    story.register()
    story.mark(after=3)
    story.give_up("No answer from the order desk within 10 s", after=10)
    story.look_up(after=30)


def in_quarantine(story: Story) -> None:
    """Sent moments ago: the receiver may still get it."""
    story.register()
    story.mark()
    story.give_up("ReadTimeout after 8 s", after=2)


def sent_by_console(story: Story) -> None:
    """Our own dispatcher heard nothing, and the lookup finds nothing."""
    story.register()
    story.cast.sandbox.arm(story.operation, "hide_lookup")
    story.dispatch("lose_reply")
    story.look_up(after=30)


def pending(story: Story) -> None:
    """The receiver took it and has not finished: neither a yes nor a no."""
    story.register()
    story.mark()
    story.report(story.send("pending"))
    story.look_up(after=10)
    story.look_up(after=story.age.total_seconds())  # once more, just now
