"""People and the roles they have."""

from typing import Any, override

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest

from operations.actions.record_access import record_access
from operations.admin.site import Administered, site
from operations.roles import ALLOWED, Role
from operations.web.access import actor_of

type AnyForm = ModelForm[Any]

# Nobody makes themselves an approver, and nobody locks themselves out.
NOT_ONES_OWN = ("groups", "is_active")


@admin.register(User, site=site)
class PersonAdmin(Administered, UserAdmin):  # type: ignore[type-arg]  # the same
    """Accounts are made and disabled here, never deleted. Each change leaves an audit entry."""

    list_display = ("username", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    search_fields = ("username", "first_name", "last_name", "email")
    filter_horizontal = ("groups",)
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("The person", {"fields": ("first_name", "last_name", "email")}),
        ("What they may do", {"fields": ("is_active", "groups")}),
        ("When", {"fields": ("last_login", "date_joined")}),
    )

    @admin.display(description="roles")
    def roles(self, person: User) -> str:
        """Their roles in words."""
        return ", ".join(sorted(group.name for group in person.groups.all())) or "none"

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the groups, which each row shows."""
        return super().get_queryset(request).prefetch_related("groups")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Also one's own roles, which another administrator has to change."""
        own = NOT_ONES_OWN if obj is not None and obj.pk == request.user.pk else ()
        return (*self.readonly_fields, *own)

    @override
    def save_model(self, request: HttpRequest, obj: Any, form: AnyForm, change: bool) -> None:
        """Keep how the account was, for the entry."""
        obj.standing_before = _standing(obj.pk) if change else None
        super().save_model(request, obj, form, change)

    @override
    def save_related(
        self, request: HttpRequest, form: AnyForm, formsets: Any, change: bool
    ) -> None:
        """The last step of a change, in its transaction: write the entry."""
        super().save_related(request, form, formsets, change)
        person = form.instance
        detail = {"fields": sorted(form.changed_data), "after": _standing(person.pk)}
        if change:
            detail["before"] = person.standing_before
        person.is_recorded = True
        _record("change_person" if change else "add_person", request, person, detail)

    @transaction.atomic
    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """Django's view opens no transaction; ours holds the entry too."""
        return super().user_change_password(request, id, form_url)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """A new password comes by here only; other changes were written by `save_related`."""
        if not hasattr(obj, "is_recorded"):
            _record("change_person", request, obj, {"fields": ["password"]})
        return super().log_change(request, obj, message)


@admin.register(Group, site=site)
class RoleAdmin(Administered):
    """A role is what the code knows by that name, so none can be made or changed."""

    fields = ("name", "may", "people")
    readonly_fields = fields
    list_display = ("name", "may")

    def get_queryset(self, request: HttpRequest) -> Any:
        """The groups that are roles."""
        return super().get_queryset(request).filter(name__in=[str(role) for role in Role])

    @admin.display(description="may")
    def may(self, group: Group) -> str:
        """What the role allows, in words."""
        allowed = [ability for ability, roles in ALLOWED.items() if group.name in roles]
        return ", ".join(str(ability).replace("_", " ") for ability in allowed)

    @admin.display(description="people")
    def people(self, group: Group) -> str:
        """Who has it."""
        names = User.objects.filter(groups=group).values_list("username", flat=True)
        return ", ".join(sorted(names)) or "nobody"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


def _standing(person_id: int) -> dict[str, Any]:
    """What an account may do, as the database has it: its roles, and whether it may sign in."""
    person = User.objects.get(pk=person_id)
    names = person.groups.values_list("name", flat=True)
    return {"roles": sorted(names), "is_active": person.is_active}


def _record(event: str, request: HttpRequest, person: User, detail: dict[str, Any]) -> None:
    record_access(
        event=event,
        actor=actor_of(request),
        detail={"person": person.pk, **detail},
        reason=f"the account {person.get_username()}",
    )
