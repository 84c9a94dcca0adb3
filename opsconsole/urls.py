"""Every address of the console, mounted in one place."""

from django.contrib import admin
from django.urls import include, path

from opsconsole import health

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("healthz", health.live, name="live"),
    path("readyz", health.ready, name="ready"),
]
