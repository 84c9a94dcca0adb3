"""The pages of the reconciliation app."""

from django.urls import path

from reconciliation.web.drills import drill_run, drills
from reconciliation.web.effects import effects
from reconciliation.web.receipt import raw, receipt
from reconciliation.web.receipts import receipts
from reconciliation.web.receivers import receivers
from reconciliation.web.statement import answer, proposal, rehearsal, statement
from reconciliation.web.statement_download import statement_file
from reconciliation.web.statements import statements

app_name = "reconciliation"

ONE_STATEMENT = "receipts/statements/<int:number>/"

urlpatterns = [
    path("operations/<uuid:operation_id>/effects/", effects, name="effects"),
    path("receipts/", receipts, name="receipts"),
    path("receipts/<int:receipt_id>/", receipt, name="receipt"),
    path("receipts/<int:receipt_id>/raw/", raw, name="receipt_raw"),
    path("receipts/statements/", statements, name="statements"),
    path(ONE_STATEMENT, statement, name="statement"),
    path(f"{ONE_STATEMENT}file/", statement_file, name="statement_file"),
    path(f"{ONE_STATEMENT}rehearsal/", rehearsal, name="statement_rehearsal"),
    path(f"{ONE_STATEMENT}proposal/", proposal, name="statement_proposal"),
    path(f"{ONE_STATEMENT}proposals/<int:proposal_id>/answer/", answer, name="statement_answer"),
    path("receivers/", receivers, name="receivers"),
    path("drills/", drills, name="drills"),
    path("drills/<int:number>/", drill_run, name="drill_run"),
]
