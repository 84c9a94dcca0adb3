"""Who may get an account: nobody by themselves."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter


class InvitedOnlyAdapter(DefaultAccountAdapter):
    """An administrator makes accounts; the sign-up page is closed."""

    def is_open_for_signup(self, request: Any) -> bool:
        """Return False: see the class."""
        return False
