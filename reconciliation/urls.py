"""The pages of the reconciliation app."""

from django.urls import path

from reconciliation.web.drills import drill_run, drills
from reconciliation.web.receipts import receipts
from reconciliation.web.receivers import receivers

app_name = "reconciliation"

urlpatterns = [
    path("receipts/", receipts, name="receipts"),
    path("receivers/", receivers, name="receivers"),
    path("drills/", drills, name="drills"),
    path("drills/<int:number>/", drill_run, name="drill_run"),
]
