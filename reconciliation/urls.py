"""The pages of the reconciliation app."""

from django.urls import path

from reconciliation.web.receipts import receipts
from reconciliation.web.receivers import receivers

app_name = "reconciliation"

urlpatterns = [
    path("receipts/", receipts, name="receipts"),
    path("receivers/", receivers, name="receivers"),
]
