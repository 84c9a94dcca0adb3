"""The pages of operations. A decision is a noun below the operation it is about."""

from django.urls import path

from operations.web import downloads
from operations.web.audit import audit
from operations.web.operation_detail import operation_detail
from operations.web.operation_list import operation_list

app_name = "operations"

OPERATION = "operations/<uuid:operation_id>/"

urlpatterns = [
    path("audit/", audit, name="audit"),
    path("operations/", operation_list, name="list"),
    path(OPERATION, operation_detail, name="detail"),
    path(f"{OPERATION}payload/", downloads.payload, name="payload"),
    path(f"{OPERATION}request/", downloads.stored_request, name="request"),
    path(f"{OPERATION}receipts/<int:receipt_id>/raw/", downloads.receipt_raw, name="receipt_raw"),
    path(f"{OPERATION}lookups/<int:lookup_id>/raw/", downloads.lookup_raw, name="lookup_raw"),
    path(f"{OPERATION}ends/<int:end_id>/raw/", downloads.end_raw, name="end_raw"),
]
