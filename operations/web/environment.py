"""The environment that the switch of the top bar narrows a list to."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from operations.registry import configuration, has_environment

PARAMETER = "environment"


def environment_in(request: HttpRequest) -> str:
    """The one that the address names, "" for all of them. Raises BadRequest for an unknown one."""
    name = request.GET.get(PARAMETER, "")
    if name and not has_environment(name):
        known = configuration().environments
        raise BadRequest(f"environment: expected one of {', '.join(known)}, got {name[:80]}.")
    return name
