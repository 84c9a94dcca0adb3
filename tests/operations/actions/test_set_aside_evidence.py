"""Evidence that no review asks about is explained, kept, and closes nothing more."""

import pytest

from operations import clock
from operations.actions.end_attempt import end_attempt
from operations.actions.second_proposal import second_proposal
from operations.actions.set_aside_evidence import set_aside_evidence
from operations.models import AttemptEnd
from operations.protocol.choices import choice
from operations.protocol.refusals import ChoiceClosed, InvalidField, NotFound, StaleClaim
from operations.protocol.states import ChoiceCode, Finding
from operations.queries.facts import facts_of
from operations.registry import receiver
from tests.build import a_receipt, agent_actor, receive
from tests.people import (
    a_mismatch,
    an_approver,
    an_operator,
    an_unknown_outcome,
    the_entry,
)
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def set_aside(operation, **given):
    values = {"finding": Finding.STANDS, **given}
    done = set_aside_evidence(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="A record of the day before.",
        **values,
    )
    operation.refresh_from_db()
    return done


def release_is_open(operation):
    profile = receiver(operation.receiver, operation.environment).profile
    return choice(ChoiceCode.RELEASE, facts_of(operation), profile, clock.now()).is_open


def a_pending_record():
    operation = an_unknown_outcome()
    receive(operation, a_receipt(operation, status="pending", effect_id=None))
    operation.refresh_from_db()
    return operation, operation.receipts.get()


def test_a_pending_record_closes_release_until_two_people_explain_it():
    operation, receipt = a_pending_record()
    assert not release_is_open(operation)
    proposed = set_aside(operation, receipt_id=receipt.pk)
    assert not release_is_open(operation)
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Seen it."
    )
    operation.refresh_from_db()
    assert release_is_open(operation)
    receipt.refresh_from_db()
    assert receipt.explanation.finding == Finding.STANDS
    assert the_entry(operation, "set_aside").detail["receipt"] == receipt.pk


def test_a_report_under_an_older_token_is_explained(settings):
    configure(settings, second_person=False)
    operation = an_unknown_outcome()
    with pytest.raises(StaleClaim):
        end_attempt(
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            token=operation.attempts.get().token,
            generation=1,
            outcome="unknown",
            detail="came back late",
        )
    operation.refresh_from_db()
    assert not release_is_open(operation)
    report = AttemptEnd.objects.get(is_stale=True)
    set_aside(operation, attempt_end_id=report.pk)
    assert release_is_open(operation)


def test_what_a_review_asks_about_is_settled_there():
    operation, review = a_mismatch()
    with pytest.raises(ChoiceClosed) as refused:
        set_aside(operation, receipt_id=review.receipt_id)
    assert refused.value.members["closed_code"] == "review_open"


def test_evidence_is_explained_once(settings):
    configure(settings, second_person=False)
    operation, receipt = a_pending_record()
    receive(operation, a_receipt(operation, status="pending", effect_id="other"))
    operation.refresh_from_db()
    set_aside(operation, receipt_id=receipt.pk)
    with pytest.raises(NotFound):
        set_aside(operation, receipt_id=receipt.pk)


@pytest.mark.parametrize(
    "given",
    [{}, {"receipt_id": 1, "attempt_end_id": 1}, {"receipt_id": 1, "finding": Finding.CORRECTED}],
)
def test_one_piece_of_evidence_and_a_known_finding_are_needed(given):
    operation, _ = a_pending_record()
    with pytest.raises(InvalidField):
        set_aside(operation, **given)
