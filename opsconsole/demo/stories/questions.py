"""Evidence that does not fit: each opens a question that only a person can answer."""

from opsconsole.demo.story import Story


def other_payload(story: Story) -> None:
    """`receipt_mismatch`: the receiver's record has another payload."""
    story.register()
    story.mark()
    story.report(story.send("change_payload"))
    story.look_up(after=12)


def late_receipt(story: Story) -> None:
    """`late_receipt`: refused, and then the receiver names an effect after all."""
    story.register()
    story.mark()
    story.report_refusal(story.send("refuse"))
    story.receive(story.receipt(effect_id=story.record_number()), after=3600)


def not_borne_out(story: Story) -> None:
    """`contradiction`: the agent reported a receipt that the receiver does not know."""
    story.register()
    story.mark()
    story.report(story.told(story.receipt(effect_id=story.record_number())))
    story.look_up(after=5)


def second_effect(story: Story) -> None:
    """`duplicate_effect`: confirmed; then somebody sent it again past the console."""
    story.register()
    story.mark()
    story.report(story.send())
    story.look_up(after=4)
    with story.moment(600):
        pass
    story.receive(story.send("ignore_key").value)


def called_duplicate(story: Story) -> None:
    """`duplicate_answer`: the receiver says that it did this before, and shows nothing."""
    story.register()
    story.mark()
    story.cast.sandbox.arm(story.operation, "hide_lookup")
    story.report_refusal(story.send("duplicate"))
    story.look_up(after=12)
