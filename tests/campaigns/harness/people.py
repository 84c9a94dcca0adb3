"""Careful people: they settle what is left in question by the receiver's own books, two by two."""

from collections.abc import Callable

from operations import clock
from operations.actions.attest_receipt import attest_receipt
from operations.actions.begin_decision import Decided
from operations.actions.close_attempt import close_attempt
from operations.actions.find_not_executed import find_not_executed
from operations.actions.release_operation import release_operation
from operations.actions.request_lookup import request_lookup
from operations.actions.second_proposal import second_proposal
from operations.models import Operation
from operations.protocol.choices import Choice, choices
from operations.protocol.states import ChoiceCode, State
from operations.queries.facts import facts_of
from operations.registry import profile_of
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_person, as_actor
from tests.people import typed

REASON = "By the receiver's own books."

# For an operation: the ids of its effects, as somebody at the receiver reads them out.
type Books = Callable[[Operation], list[str]]


class People:
    """An operator and a second person, neither of them connected with any request."""

    def __init__(self, books: Books) -> None:
        self.operator = as_actor(a_person("", "operator"))
        self.second = as_actor(a_person("", "operator", "approver"))
        self._books = books

    def settle(self, operation: Operation) -> str:
        """Do what the evidence allows, and say what that was; "" when nothing is open to them.

        The caller sends what they released.
        """
        operation.refresh_from_db()
        if operation.state != State.SENT_UNKNOWN:
            return ""
        if not profile_of(operation).has_lookup:
            return self._ask_by_telephone(operation)
        self._look_up(operation)
        if operation.state != State.SENT_UNKNOWN:
            return "looked up"
        if self._open(operation)[ChoiceCode.RELEASE].closed_code == "attempt_open":
            self._close_attempt(operation)
            return "closed the attempt"  # whose quarantine begins with it
        if not self._open(operation)[ChoiceCode.RELEASE].is_open:
            return ""
        self._seconded(
            release_operation(
                operation_id=operation.pk,
                actor=self.operator,
                version=operation.version,
                reason=REASON,
            )
        )
        return "released"

    def _ask_by_telephone(self, operation: Operation) -> str:
        effects = self._books(operation)
        if effects:
            attested = attest_receipt(
                operation_id=operation.pk,
                actor=self.operator,
                version=operation.version,
                entered=typed(operation, effect_id=effects[0]),
                reason=REASON,
            )
            self._seconded(attested)
            return "attested"
        found = find_not_executed(
            operation_id=operation.pk,
            actor=self.operator,
            version=operation.version,
            reason=REASON,
            named_answer="The order desk has nothing under this key.",
        )
        self._seconded(found)
        return "not executed"

    def _look_up(self, operation: Operation) -> None:
        request_lookup(operation_id=operation.pk, actor=self.operator)
        reconcile_operation(operation_id=operation.pk, holder="at a person's wish")
        operation.refresh_from_db()

    def _close_attempt(self, operation: Operation) -> None:
        for actor in (self.operator, self.second):
            close_attempt(
                operation_id=operation.pk,
                actor=actor,
                version=operation.version,
                generation=operation.generation,
                reason="Its process is gone.",
            )
            operation.refresh_from_db()

    def _open(self, operation: Operation) -> dict[ChoiceCode, Choice]:
        offered = choices(facts_of(operation), profile_of(operation), clock.now())
        return {choice.code: choice for choice in offered}

    def _seconded(self, decided: Decided) -> None:
        assert decided.proposal is not None
        second_proposal(
            approval_id=decided.proposal.pk, actor=self.second, is_yes=True, reason=REASON
        )
