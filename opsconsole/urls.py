"""Every address of the console, mounted in one place."""

from django.urls import include, path

from operations import admin
from operations.api import routes as api
from opsconsole import health
from opsconsole.inbox import inbox
from opsconsole.metrics import metrics

urlpatterns = [
    path("", inbox, name="inbox"),
    path("", include("operations.urls")),
    path("", include("reconciliation.urls")),
    path("", include("reconciliation.hooks")),
    path("accounts/", include("opsconsole.account_urls")),
    path("api/v1", api.nowhere),
    path("api/v1/", api.urls()),
    path("admin/", admin.site.urls),
    path("healthz", health.live, name="live"),
    path("readyz", health.ready, name="ready"),
    path("metrics", metrics, name="metrics"),
]
