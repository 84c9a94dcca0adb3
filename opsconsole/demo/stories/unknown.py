"""Nobody knows yet: what waits for a lookup, for the quarantine, or for a person."""

from opsconsole.demo.story import Story


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
