"""Where the next page begins: signed, opaque, and good for the same list only."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing

from operations.protocol.refusals import InvalidField
from operations.queries.operation_list import OperationFilter, Place

SALT = "operations.api.cursor"


def cursor_of(place: Place, wanted: OperationFilter) -> str:
    """The cursor of the page after `place`."""
    value = [place.created_at.isoformat(), str(place.id), _list(wanted)]
    return signing.dumps(value, salt=SALT, compress=True)


def place_of(cursor: str, wanted: OperationFilter) -> Place:
    """Where that page begins. Raises InvalidField for a cursor that we did not give for it."""
    try:
        created_at, pk, listed = signing.loads(cursor, salt=SALT)
    except signing.BadSignature:
        listed = None
    if listed != _list(wanted):
        raise InvalidField(
            field="cursor",
            expected="next_cursor of an earlier page, with the same filters",
            got="another text",
        )
    return Place(created_at=datetime.fromisoformat(created_at), id=UUID(pk))


def _list(wanted: OperationFilter) -> Any:
    return json.loads(json.dumps(wanted.identity()))
