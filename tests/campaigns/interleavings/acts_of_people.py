"""What people decide about one operation, each as one act of one person."""

from typing import Any

from operations.actions.attest_receipt import attest_receipt
from operations.actions.close_attempt import close_attempt
from operations.actions.entered_receipt import Entered
from operations.actions.release_operation import release_operation
from operations.actions.settle_review import settle_review
from operations.protocol.states import Finding
from tests.campaigns.harness.flows.flow import Subject
from tests.campaigns.interleavings.acts import WHY, Act, who


def close(number: int) -> Act:
    """A person records that the sender is gone."""

    def act(subject: Subject) -> Any:
        return close_attempt(
            operation_id=subject.row.pk,
            actor=who(f"operator-{number}"),
            version=subject.row.version,
            generation=1,
            reason="The machine was re-imaged.",
        )

    return act


def release(subject: Subject) -> Any:
    """A person proposes one more send."""
    return release_operation(
        operation_id=subject.row.pk,
        actor=who("operator-3"),
        version=subject.row.version,
        reason=WHY,
    )


def attest(number: int) -> Act:
    """A person enters the receiver's record."""

    def act(subject: Subject) -> Any:
        return attest_receipt(
            operation_id=subject.row.pk,
            actor=who(f"operator-{number}"),
            version=subject.row.version,
            entered=Entered(
                operation_key=subject.key,
                effect_id=subject.given.get("effect", f"read-{subject.key}"),
                status="confirmed",
                evidence="order desk, by telephone",
                fields={"/sku": "vanilla", "/quantity": "6"},
            ),
            reason=WHY,
        )

    return act


def settle(number: int, finding: Finding) -> Act:
    """A person answers the open review."""

    def act(subject: Subject) -> Any:
        return settle_review(
            operation_id=subject.row.pk,
            actor=who(f"operator-{number}"),
            version=subject.row.version,
            review_id=subject.given["review"],
            finding=finding,
            reason=WHY,
        )

    return act
