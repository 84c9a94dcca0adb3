"""Running the console's own dispatch in a test, and reading what it left."""

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.models import AttemptEnd, Operation


def dispatch(operation: Operation) -> Dispatched:
    """One run of the dispatcher; the operation is read again after it."""
    outcome = dispatch_operation(operation_id=operation.pk, holder="worker-1")
    operation.refresh_from_db()
    return outcome


def the_end(operation: Operation) -> AttemptEnd:
    """The one end of its one attempt."""
    return AttemptEnd.objects.get(attempt__operation=operation)
