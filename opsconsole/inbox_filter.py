"""The filter of the inbox: read from an address, and written back into addresses."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.urls import reverse

from operations.protocol.states import Question
from operations.web.environment import environment_in


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxFilter:
    """The filter as the address has it; a word that is not known is a bad request."""

    environment: str = ""
    question: str = ""
    is_mine: bool = False

    @classmethod
    def read(cls, request: HttpRequest) -> "InboxFilter":
        """From the request's parameters. Raises BadRequest naming expected and got."""
        environment, question = environment_in(request), request.GET.get("question", "")
        known = [str(each) for each in Question]
        if question and question not in known:
            raise BadRequest(f"question: expected one of {', '.join(known)}, got {question[:80]}.")
        is_mine = request.GET.get("whose", "") == "mine"
        return cls(environment=environment, question=question, is_mine=is_mine)

    @property
    def is_set(self) -> bool:
        """Whether it narrows what is shown."""
        return bool(self.environment or self.question or self.is_mine)

    @property
    def everyone_url(self) -> str:
        """The same, whoever holds the cases."""
        return self.url(whose="")

    @property
    def mine_url(self) -> str:
        """The same, only what this person holds."""
        return self.url(whose="mine")

    @property
    def every_question_url(self) -> str:
        """The same with every question."""
        return self.url(question="")

    @property
    def clear_url(self) -> str:
        """Everything that waits."""
        return reverse("inbox")

    def url(self, **changed: str) -> str:
        """The address of this list with some parameters changed; empty ones are left out."""
        own = {
            "environment": self.environment,
            "question": self.question,
            "whose": "mine" if self.is_mine else "",
        }
        kept = {name: value for name, value in (own | changed).items() if value}
        return f"{self.clear_url}?{urlencode(kept)}" if kept else self.clear_url
