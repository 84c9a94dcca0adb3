"""Settled by the receiver's own word: nobody had to decide anything."""

from opsconsole.demo.outage import outage_of
from opsconsole.demo.story import Story


def answered(story: Story) -> None:
    """The everyday course: sent, answered, reported, and borne out by a lookup."""
    story.register()
    story.mark()
    story.report(story.send())
    story.look_up(after=4)


def reported(story: Story) -> None:
    """Nobody but the agent says so, and the receiver can't be looked up."""
    story.register()
    story.mark(after=3)
    with story.moment(40):
        pass
    story.report(story.told(story.receipt(effect_id=story.record_number())))


def reply_lost(story: Story) -> None:
    """The receiver did it and the reply was lost: the lookup finds it, nothing is sent again."""
    story.register()
    story.mark()
    story.send("lose_reply")
    story.give_up("RemoteProtocolError: the connection closed without an answer")
    story.look_up(after=6)


def killed_while_waiting(story: Story) -> None:
    """The process died while the receiver worked; it never said a word again."""
    story.register()
    story.mark()
    story.send("reset")
    story.look_up(after=9)


def committed_late(story: Story) -> None:
    """Nothing was there at first; the late record confirms."""
    story.register()
    story.mark()
    story.give_up("ReadTimeout after 8 s", after=8)
    story.look_up(after=1)
    story.send()
    story.look_up(after=5)


def receiver_was_away(story: Story) -> None:
    """The receiver could not be asked for a while: that says nothing. Then it knew."""
    story.register()
    story.mark()
    story.send("lose_reply")
    story.give_up("RemoteProtocolError: the connection closed without an answer")
    with outage_of(story.receiver):
        for seconds in (9, 5, 9):
            story.look_up(after=seconds)
    story.look_up(after=30)


def told_by_webhook(story: Story) -> None:
    """The receiver's own message comes before anybody asks."""
    story.register()
    story.mark()
    answer = story.send("answer_late", seconds=0.01)
    story.receive(answer.value, after=2)


def sent_by_console(story: Story) -> None:
    """Our own dispatcher sent it and got the receipt."""
    story.register()
    story.dispatch()


def sent_by_console_and_lost(story: Story) -> None:
    """Our own dispatcher heard nothing; the lookup did."""
    story.register()
    story.dispatch("lose_reply")
    story.look_up(after=9)


def refused(story: Story) -> None:
    """A definite no of the receiver's own list."""
    story.register()
    story.mark()
    story.report_refusal(story.send("refuse"))


def refused_to_console(story: Story) -> None:
    """The same no, said to our own dispatcher."""
    story.register()
    story.dispatch("refuse")
