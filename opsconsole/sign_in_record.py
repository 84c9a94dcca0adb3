"""Writes sign-ins, failed ones and changes of credentials to the audit trail."""

from typing import Any

from allauth.account.signals import password_changed
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from operations.actions.record_access import record_access
from operations.actors import Actor
from operations.protocol.words import shortened, storable
from operations.roles import person

LONGEST_NAME = 150


@receiver(user_logged_in)
def signed_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """A person came in."""
    record_access(event="sign_in", actor=_person(request, user))


@receiver(user_logged_out)
def signed_out(request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    """A person left; a session that had ended before names nobody."""
    if user is not None:
        record_access(event="sign_out", actor=_person(request, user))


@receiver(user_login_failed)
def sign_in_failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """Somebody was turned away. The name they typed is erasable: it may be a password."""
    name = storable(str(credentials.get("username") or ""))
    known = User.objects.filter(username=name).values_list("pk", flat=True).first()
    record_access(
        event="sign_in_failed",
        actor=Actor.system("sign-in", request_id=_request_id(request)),
        detail={"person": known} if known else {},
        reason=f"as {shortened(name, limit=LONGEST_NAME)}" if name else "",
    )


@receiver(password_changed)
def changed_password(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """A person has a new password."""
    record_access(event="change_password", actor=_person(request, user))


@receiver(authenticator_added)
def added_factor(request: HttpRequest, user: User, authenticator: Any, **kwargs: Any) -> None:
    """A person's account takes a second factor now."""
    _factor("second_factor_added", request, user, authenticator)


@receiver(authenticator_removed)
def removed_factor(request: HttpRequest, user: User, authenticator: Any, **kwargs: Any) -> None:
    """A person's account takes one factor less."""
    _factor("second_factor_removed", request, user, authenticator)


@receiver(authenticator_reset)
def reset_factor(request: HttpRequest, user: User, authenticator: Any, **kwargs: Any) -> None:
    """A person's earlier recovery codes are void."""
    _factor("second_factor_reset", request, user, authenticator)


def _factor(event: str, request: HttpRequest, user: User, authenticator: Any) -> None:
    detail = {"factor": str(authenticator.type)}
    record_access(event=event, actor=_person(request, user), detail=detail)


def _person(request: HttpRequest, user: User) -> Actor:
    return person(user, request_id=_request_id(request))


def _request_id(request: HttpRequest | None) -> str:
    return str(getattr(request, "request_id", ""))
