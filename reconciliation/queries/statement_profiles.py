"""The forms of files that are declared for a receiver."""

from operations import registry
from reconciliation.protocol.refusals import UnknownStatementProfile
from reconciliation.protocol.statements.profile import StatementProfile


def profiles_for(receiver: str) -> dict[str, StatementProfile]:
    """Every form that this receiver's files may have, by name."""
    declared = registry.configuration().statements
    return {
        name: profile
        for name, profile in sorted(declared.items())
        if isinstance(profile, StatementProfile) and _fits(profile, receiver)
    }


def statement_profile(name: str, receiver: str) -> StatementProfile:
    """The form called `name`. Raises UnknownStatementProfile."""
    known = profiles_for(receiver)
    if name not in known:
        expected = ", ".join(known) or "none that is declared for it"
        raise UnknownStatementProfile(expected=expected, got=name or "nothing")
    return known[name]


def _fits(profile: StatementProfile, receiver: str) -> bool:
    return not profile.receivers or receiver in profile.receivers
