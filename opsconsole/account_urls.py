"""Signing in and out, one's own password and second factor. Accounts are made by an administrator,
so there is no sign-up, no e-mail address to confirm and no reset by mail."""

from allauth.account import views
from django.urls import include, path
from django.views.generic import TemplateView

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", views.logout, name="account_logout"),
    path(
        "signed-out/",
        TemplateView.as_view(template_name="account/signed_out.html"),
        name="signed_out",
    ),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("signup/", views.signup, name="account_signup"),
    path("reauthenticate/", views.reauthenticate, name="account_reauthenticate"),
    path("password/change/", views.password_change, name="account_change_password"),
    path("2fa/", include("allauth.mfa.urls")),
]
