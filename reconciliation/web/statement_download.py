"""The file of a statement, byte for byte as it came, one piece in memory at a time."""

from collections.abc import Iterator
from typing import IO

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from operations.roles import Ability
from operations.web.access import actor_of, page
from reconciliation.actions.export_statement import export_statement
from reconciliation.models import Statement
from reconciliation.models.statement import CHUNK_BYTES
from reconciliation.queries.statement_file import open_statement


@require_safe
@page(Ability.VIEW)
def statement_file(request: HttpRequest, number: int) -> StreamingHttpResponse:
    """A download, never shown inline: the bytes are another system's. It leaves an entry."""
    found = Statement.objects.filter(pk=number).first() if number < 2**63 else None
    if found is None:
        raise Http404
    if request.method == "GET":
        export_statement(statement=found, actor=actor_of(request))
    response = StreamingHttpResponse(
        _pieces(open_statement(found)), content_type="application/octet-stream"
    )
    response["Content-Disposition"] = f'attachment; filename="statement-{found.pk}.bin"'
    response["Content-Length"] = str(found.size_bytes)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(CHUNK_BYTES):
            yield piece
