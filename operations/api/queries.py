"""Query parameters: known by name, each at most once, or refused before anything is done."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from operations.protocol.refusals import InvalidField, UnknownField

type View = Callable[..., HttpResponse]


def takes_query(*names: str) -> Callable[[View], View]:
    """Refuse every parameter that is not in `names`: an option may never be ignored.

    Raises UnknownField, and InvalidField for a parameter given twice.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **given: Any) -> HttpResponse:
            for name, values in request.GET.lists():
                if name not in names:
                    expected = ", ".join(names) or "no query parameters"
                    raise UnknownField(field=name[:80], expected=expected)
                if len(values) > 1:
                    got = f"{len(values)} of them"
                    raise InvalidField(field=name, expected="one value", got=got)
            return view(request, **given)

        return checked

    return decorate
