"""A refusal is an answer: a code, one sentence with expected and got, and a remedy."""

from typing import Any, ClassVar


class Refusal(Exception):
    """An act that was not done, and why. Subclasses fix code, HTTP status and words.

    `sentence` and `remedy` are format strings over the keyword arguments; `members` holds those
    arguments for machine-readable answers.
    """

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 409
    sentence: ClassVar[str] = "The request was refused."
    remedy_text: ClassVar[str] = "Fetch the operation again and decide from its current record."

    def __init__(self, **members: Any) -> None:
        self.members = members
        super().__init__(self.detail)

    @property
    def detail(self) -> str:
        """The sentence with its values filled in."""
        return self.sentence.format(**self.members)

    @property
    def remedy(self) -> str:
        """What the caller can do now."""
        return self.remedy_text.format(**self.members)
