"""The answers to many lookups are written down together, as `record_lookup` writes one (rule 5).

What is plain is judged by the same pure functions and written by one statement a table. Whatever
else follows from an answer, a review, a mismatch, a second effect, takes the single road.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import IntegrityError, InterfaceError, OperationalError, transaction

from operations import rows
from operations.actions.apply_event import lock_operation
from operations.actions.patience import patiently
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.queries.last_call import last_calls_of
from operations.queries.lookup_standings import AnswerAbout, lookup_standings
from operations.receivers.base import CouldNotAsk, Observation, ReceiverConfig
from reconciliation.actions.looked import LOOKED_UP_STATES
from reconciliation.actions.lookup_row import Asked, receipts_in
from reconciliation.actions.note_answer import note_answer
from reconciliation.actions.plain_lookups import Met, Plain, plain_lookup
from reconciliation.actions.record_lookup import record_lookup
from reconciliation.actions.stall_lookup import stall_lookup
from reconciliation.actions.write_lookups import write_lookups

log = structlog.get_logger()


class Answer(NamedTuple):
    """What was asked, and what was seen."""

    asked: Asked
    seen: Observation


def record_lookups(*, answers: Sequence[Answer], config: ReceiverConfig, actor: Actor) -> None:
    """Each answer's lookup, as `record_lookup` says; all are of one receiver.

    One that fails takes none of the others with it: a person sees it, and it is tried later.
    """
    for answer in patiently(lambda: _record_plain(answers, config, actor)):
        record = partial(record_lookup, asked=answer.asked, seen=answer.seen, actor=actor)
        try:
            patiently(record)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            log.exception("lookup not recorded", operation=str(answer.asked.operation_id))
            _put_off(answer.asked, error, actor)


def _put_off(asked: Asked, error: Exception, actor: Actor) -> None:
    """A mistake of ours: else it would be the longest due for ever, before all the others."""
    why = f"What its receiver answered could not be written down: {type(error).__name__}."
    with transaction.atomic(durable=True):
        operation = lock_operation(asked.operation_id)
        if operation.claim_token == asked.token and operation.state in LOOKED_UP_STATES:
            stall_lookup(operation_id=asked.operation_id, why=why, actor=actor)


def _record_plain(
    answers: Sequence[Answer], config: ReceiverConfig, actor: Actor
) -> Sequence[Answer]:
    """Those that are left over: not plain, locked by somebody, or refused by the database."""
    try:
        return _record_together(answers, config, actor)
    except IntegrityError:
        return answers  # such as one effect that two of them name


@transaction.atomic(durable=True)
def _record_together(
    answers: Sequence[Answer], config: ReceiverConfig, actor: Actor
) -> Sequence[Answer]:
    by_id = {answer.asked.operation_id: answer for answer in answers}
    # Nobody is waited for: with many rows locked that could be crosswise.
    locked = rows.locked_if_free(Operation, "id = ANY(%s)", [list(by_id)])
    if not locked:
        return answers
    plain = _plain_ones(locked, by_id, config)
    write_lookups(plain, actor=actor)
    _note_answers(plain, config.profile, actor)
    written = {each.operation.pk for each in plain}
    return [answer for answer in answers if answer.asked.operation_id not in written]


def _plain_ones(
    locked: Sequence[Operation], by_id: Mapping[UUID, Answer], config: ReceiverConfig
) -> list[Plain]:
    read = {each.pk: receipts_in(by_id[each.pk].seen) for each in locked}
    about = [_about(each, read[each.pk][0]) for each in locked]
    standings = lookup_standings(about, environment=config.environment, receiver=config.name)
    last_calls = last_calls_of(locked, config.profile)
    at = max(standing.now for standing in standings.values())
    found = [
        plain_lookup(
            Met(
                operation=each,
                asked=by_id[each.pk].asked,
                found=read[each.pk][0],
                seen=read[each.pk][1],
                standing=standings[each.pk],
                last_call_at=last_calls[each.pk],
                at=at,
            ),
            config.profile,
        )
        for each in locked
    ]
    return [each for each in found if each is not None]


def _about(operation: Operation, found: Sequence[ReceiptValue]) -> AnswerAbout:
    effect_id = found[0].effect_id if found else ""
    return AnswerAbout(
        operation_id=operation.pk, generation=operation.generation, effect_id=effect_id or ""
    )


def _note_answers(plain: Sequence[Plain], profile: Profile, actor: Actor) -> None:
    """In their order; of answers in a row that say nothing against the receiver one is enough."""
    was_fine = False
    for each in plain:
        is_fine = not isinstance(each.seen, CouldNotAsk)
        if not (is_fine and was_fine):
            note_answer(
                each.operation,
                profile,
                each.seen,
                token=each.lookup.token,
                actor=actor,
                at=each.lookup.answered_at,
            )
        was_fine = is_fine
