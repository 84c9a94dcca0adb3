"""The exits of a review as its operation stands now, for its page and for settling it."""

from operations.models import Operation, Review
from operations.protocol.exits import Exit, exits
from operations.protocol.states import Question, State


def exits_of(review: Review, operation: Operation, *, has_attempt: bool) -> tuple[Exit, ...]:
    """The ways to close it. One query, unless `review.receipt` is loaded."""
    receipt = review.receipt
    return exits(
        Question(review.question),
        state=State(operation.state),
        has_attempt=has_attempt,
        is_about_other=receipt is not None and receipt.operation_id != operation.pk,
    )
