"""The admin site: entered through our own sign-in, by people with the role for it."""

from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from operations.roles import Ability, may


class ConsoleAdmin(AdminSite):
    """Staff and superusers as Django has them open nothing here; the role does."""

    site_header = "opsconsole: people, agents and tokens"
    site_title = "opsconsole"
    index_title = "Who may come in"

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the person has a role that may administer."""
        return may(request.user, Ability.ADMINISTER)

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """To the console's sign-in, which limits tries and asks for the second factor."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next", "/admin/"))

    def logout(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """To the console's sign-out."""
        return redirect("account_logout")

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """To the console's own page."""
        return redirect("account_change_password")


class Administered(ModelAdmin):  # type: ignore[type-arg]  # not generic when it runs
    """Rows that administrators see. Nothing is ever deleted: what happened names it for good."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the person may administer."""
        return may(request.user, Ability.ADMINISTER)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the person may administer."""
        return may(request.user, Ability.ADMINISTER)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether the person may administer."""
        return may(request.user, Ability.ADMINISTER)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the person may administer."""
        return may(request.user, Ability.ADMINISTER)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


site = ConsoleAdmin(name="admin")
