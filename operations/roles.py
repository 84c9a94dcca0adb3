"""Which role may do what: one table, read by pages, actions and tests."""

from enum import StrEnum

from operations.actors import Actor
from operations.protocol.refusals import NotPermitted


class Role(StrEnum):
    """A person's role is the group of that name they are in; they may have several."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    APPROVER = "approver"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Ability(StrEnum):
    """What a page or an action asks for."""

    VIEW = "view"
    SETTLE = "settle"  # look up, attest, not executed, release, supersede, cancel, reviews
    APPROVE = "approve"  # requests for operations
    SECOND = "second"  # another person's proposal
    NOTE = "note"  # words for the next person
    READ_AUDIT = "read_audit"
    HALT = "halt"
    ADMINISTER = "administer"


ALLOWED: dict[Ability, frozenset[Role]] = {
    Ability.VIEW: frozenset(Role),
    Ability.SETTLE: frozenset({Role.OPERATOR}),
    Ability.APPROVE: frozenset({Role.APPROVER}),
    Ability.SECOND: frozenset({Role.OPERATOR, Role.APPROVER}),
    Ability.NOTE: frozenset({Role.OPERATOR, Role.APPROVER}),
    Ability.READ_AUDIT: frozenset({Role.AUDITOR, Role.OPERATOR, Role.APPROVER}),
    Ability.HALT: frozenset({Role.OPERATOR, Role.ADMIN}),
    Ability.ADMINISTER: frozenset({Role.ADMIN}),
}


def roles_of(user) -> frozenset[Role]:  # type: ignore[no-untyped-def]  # any signed-in user
    """The roles of one person, read once per request. A disabled person has none."""
    if not user.is_active or not user.is_authenticated:
        return frozenset()
    known = getattr(user, "_roles", None)
    if known is None:
        names = set(user.groups.values_list("name", flat=True))
        known = user._roles = frozenset(role for role in Role if role in names)  # noqa: SLF001
    return known


def may(user, ability: Ability) -> bool:  # type: ignore[no-untyped-def]
    """Whether the person has a role that allows it. A superuser without a role has none."""
    return bool(roles_of(user) & ALLOWED[ability])


def require(user, ability: Ability) -> None:  # type: ignore[no-untyped-def]
    """Raises NotPermitted, naming the roles that would do."""
    if not may(user, ability):
        raise NotPermitted(
            expected=" or ".join(sorted(ALLOWED[ability])),
            got=", ".join(sorted(roles_of(user))) or "no role",
        )


def person(user, *, request_id: str = "") -> Actor:  # type: ignore[no-untyped-def]
    """The actor that a signed-in user is."""
    return Actor.person(person_id=user.pk, username=user.get_username(), request_id=request_id)
