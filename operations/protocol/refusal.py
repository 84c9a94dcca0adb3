"""A refusal is an answer: a code, one sentence with expected and got, and a remedy."""

from datetime import datetime
from typing import Any, ClassVar

from operations.protocol.words import at_text


class Refusal(Exception):
    """An act that was not done, and why. Subclasses fix code, HTTP status and words.

    `sentence` and `remedy_text` are format strings over the keyword arguments (instants are
    written in UTC); `members` holds those arguments for machine-readable answers. A member that
    the words need and the caller left out is a KeyError at once, never a half-filled sentence.
    """

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 409
    sentence: ClassVar[str] = "The request was refused."
    remedy_text: ClassVar[str] = "Fetch the operation again and decide from its current record."

    def __init__(self, **members: Any) -> None:
        self.members = members
        super().__init__(self.detail)
        self.remedy_text.format(**self._words())

    @property
    def detail(self) -> str:
        """The sentence with its values filled in."""
        return self.sentence.format(**self._words())

    @property
    def remedy(self) -> str:
        """What the caller can do now."""
        return self.remedy_text.format(**self._words())

    def _words(self) -> dict[str, Any]:
        return {
            name: at_text(value) if isinstance(value, datetime) else value
            for name, value in self.members.items()
        }
