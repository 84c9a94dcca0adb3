"""The pages of operations. A decision is a noun below the operation it is about."""

from django.urls import path

from operations.web import approvals, downloads, halts
from operations.web.audit import audit
from operations.web.decisions import answers, cases, follow_ups, settling
from operations.web.operation_detail import operation_detail, operation_status
from operations.web.operation_list import operation_list

app_name = "operations"

ONE = "operations/<uuid:operation_id>/"

urlpatterns = [
    path("operations/", operation_list, name="list"),
    path(ONE, operation_detail, name="detail"),
    path(f"{ONE}status/", operation_status, name="status"),
    # Decisions
    path(f"{ONE}lookup/", settling.lookup, name="lookup"),
    path(f"{ONE}attestation/", settling.attestation, name="attestation"),
    path(f"{ONE}finding/", settling.finding, name="finding"),
    path(f"{ONE}release/", settling.release, name="release"),
    path(f"{ONE}closure/", settling.closure, name="closure"),
    path(f"{ONE}supersession/", follow_ups.supersession, name="supersession"),
    path(f"{ONE}compensation/", follow_ups.compensation, name="compensation"),
    path(f"{ONE}cancellation/", follow_ups.cancellation, name="cancellation"),
    path(f"{ONE}explanation/", answers.explanation, name="explanation"),
    path(f"{ONE}reviews/<int:review_id>/", answers.review, name="review"),
    path(f"{ONE}proposals/<int:approval_id>/", answers.proposal, name="proposal_answer"),
    path(f"{ONE}requests/<int:approval_id>/", answers.request_answer, name="request_answer"),
    path(f"{ONE}case/", cases.case, name="case"),
    path(f"{ONE}hand-back/", cases.hand_back, name="hand_back"),
    path(f"{ONE}note/", cases.note, name="note"),
    # Evidence, byte for byte
    path(f"{ONE}payload/", downloads.payload, name="payload"),
    path(f"{ONE}request/", downloads.stored_request, name="request"),
    path(f"{ONE}receipts/<int:receipt_id>/raw/", downloads.receipt_raw, name="receipt_raw"),
    path(f"{ONE}lookups/<int:lookup_id>/raw/", downloads.lookup_raw, name="lookup_raw"),
    path(f"{ONE}ends/<int:end_id>/raw/", downloads.end_raw, name="end_raw"),
    # Other nouns
    path("approvals/", approvals.approvals, name="approvals"),
    path("approvals/<int:approval_id>/answer/", approvals.answer, name="approval_answer"),
    path("audit/", audit, name="audit"),
    path("halts/", halts.halts, name="halts"),
    path("halts/<int:halt_id>/lifting/", halts.lifting, name="halt_lifting"),
]
