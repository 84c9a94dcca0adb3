"""Who may get an account: nobody by themselves. And where signing out leads."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.urls import reverse


class InvitedOnlyAdapter(DefaultAccountAdapter):
    """An administrator makes accounts; the sign-up page is closed."""

    def is_open_for_signup(self, request: Any) -> bool:
        """Return False: see the class."""
        return False

    def get_logout_redirect_url(self, request: Any) -> str:
        """The page that says so, which needs no sign-in."""
        return reverse("signed_out")
