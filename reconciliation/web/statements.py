"""Statements: the files that came, how each stands, and taking in another one."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from operations import clock
from operations.actors import Actor
from operations.protocol.refusals import Refusal
from operations.roles import Ability, may
from operations.web.access import page
from operations.web.deciding import require_role
from operations.web.environment import PARAMETER, environment_in
from operations.web.paging import Page, page_words, place_in
from operations.web.rendering import render_region
from operations.web.submitting import SeeOther, submit
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.stage_statement import Staged, StatementFile, stage_statement
from reconciliation.models import Statement
from reconciliation.queries.statement_profiles import statement_profile
from reconciliation.queries.statements import StatementRecord, statements_page
from reconciliation.web.statement_forms import UploadForm
from reconciliation.web.statement_words import Meter, Standing, meter_of, standing_of

PAGE_SIZE = 25
COMMAND = ".venv/bin/python manage.py import_receipts"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One file of the list; `meter` is there while a worker is at it."""

    statement: Statement
    url: str
    standing: Standing
    row_count: str
    meter: Meter | None


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def statements(request: HttpRequest) -> HttpResponse:
    """Every file, newest first; POST takes one in and compares it."""
    if request.method != "POST":
        return _show(request)
    require_role(request, Ability.SETTLE, act="stage_statement", subject="")
    form = UploadForm(request.POST, files=request.FILES)
    kept: list[Staged] = []

    def act(form: UploadForm, actor: Actor) -> Staged:
        kept.append(_take_in(form, actor))
        return kept[0]

    return submit(
        request,
        form,
        act=act,
        told=_told,
        was_done=lambda: False,
        again=lambda *, status, refusal=None: _show(
            request, form=form, refusal=refusal, status=status
        ),
        done=lambda sentence: _to_it(request, kept[0].statement, sentence),
    )


def _take_in(form: UploadForm, actor: Actor) -> Staged:
    environment, receiver = form.receiver_place
    given = form.cleaned_data["file"]
    file = StatementFile(
        environment=environment,
        receiver=receiver,
        profile=form.cleaned_data["profile"],
        name=given.name,
        stream=given.file,
    )
    staged = stage_statement(actor=actor, file=file)
    if staged.is_new:
        profile = statement_profile(file.profile, receiver)
        rehearse_statement(statement=staged.statement, profile=profile)
    return staged


def _told(staged: Staged) -> str:
    if staged.is_new:
        return "The file is kept and is compared with the record now. Nothing is changed by that."
    return "This very file came before; here is what it came to."


def _to_it(request: HttpRequest, statement: Statement, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return SeeOther(reverse("reconciliation:statement", args=[statement.pk]))


def _show(
    request: HttpRequest,
    *,
    form: UploadForm | None = None,
    refusal: Refusal | None = None,
    status: int = 200,
) -> HttpResponse:
    environment, now = environment_in(request), clock.now()
    here, after = reverse("reconciliation:statements"), place_in(request)
    records, further = statements_page(after=after, limit=PAGE_SIZE, environment=environment)
    narrowed = {PARAMETER: environment} if environment else {}
    if not form and may(request.user, Ability.SETTLE):
        form = UploadForm()
    context = {
        "as_of": now,
        "here": request.get_full_path(),
        "command": COMMAND,
        "form": form,
        "refusal": refusal,
        "files": [_row(record, now=now) for record in records],
        "is_going_on": any(record.is_going_on for record in records),
        "page": Page(
            words=page_words(len(records), "statement", order="newest first"),
            first_url=_address(here, narrowed) if after else "",
            next_url=_address(here, narrowed | {"after": str(further)}) if further else "",
        ),
    }
    return render_region(
        request, "reconciliation/statements.html", "statements", context, status=status
    )


def _row(record: StatementRecord, *, now: datetime) -> FileRow:
    statement = record.statement
    run = record.application or record.rehearsal
    return FileRow(
        statement=statement,
        url=reverse("reconciliation:statement", args=[statement.pk]),
        standing=standing_of(record, now=now),
        row_count=f"{run.row_count:,}" if run else "",
        meter=meter_of(run, statement.size_bytes) if run and record.is_going_on else None,
    )


def _address(there: str, query: dict[str, str]) -> str:
    return f"{there}?{urlencode(query)}" if query else there
