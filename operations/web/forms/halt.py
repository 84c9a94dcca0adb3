"""Halting dispatch, and lifting a halt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from operations.registry import configuration
from operations.web.forms.decision import ReasonForm


@dataclass(frozen=True, slots=True)
class Scope:
    """What a halt holds; "" is every one."""

    environment: str = ""
    receiver: str = ""

    def __str__(self) -> str:
        return f"{self.environment}/{self.receiver}"

    @classmethod
    def read(cls, text: str) -> "Scope":
        """The scope that a form's value names."""
        environment, _, receiver = text.partition("/")
        return cls(environment, receiver)

    @property
    def words(self) -> str:
        """Such as "sandbox in production", "everything"."""
        place = f" in {self.environment}" if self.environment else ""
        if self.receiver:
            return f"{self.receiver}{place or ' everywhere'}"
        return f"everything{place}"


class LiftForm(ReasonForm):
    """Why dispatch may go on. A halt has no versions, so none is carried."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, place: str, **more: Any) -> None:
        super().__init__(data, version=1, place=place, **more)
        del self.fields["version"]


class HaltForm(LiftForm):
    """What is to stop, and why. Nothing is chosen beforehand."""

    scope = forms.ChoiceField(label="What stops")
    field_order = ("scope", "reason")

    def __init__(self, data: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(data, **more)
        choices = [(str(scope), scope.words) for scope in _scopes()]
        self.fields["scope"].choices = [("", "choose what stops"), *choices]  # type: ignore[attr-defined]


def _scopes() -> list[Scope]:
    """Everything, each environment, each receiver everywhere, and in each environment."""
    settled = configuration()
    receivers = sorted({name for _, name in settled.receivers})
    return [
        Scope(),
        *(Scope(environment=name) for name in settled.environments),
        *(Scope(receiver=name) for name in receivers),
        *(Scope(*place) for place in sorted(settled.receivers)),
    ]
