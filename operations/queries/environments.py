"""What a list of "all environments" holds: every one but the drills' (decision 0008)."""

from django.db.models import Q

from operations.registry import DRILL


def at_environment(name: str, *, column: str = "environment") -> Q:
    """Rows of the environment; without a name those of every one but the drills'."""
    return Q(**{column: name}) if name else ~Q(**{column: DRILL})


def scope_of(name: str) -> dict[str, str]:
    """The same for SQL: `%(environment)s IN ('', it) AND it <> %(left_out)s`."""
    return {"environment": name, "left_out": "" if name else DRILL}
