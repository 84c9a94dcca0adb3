"""A file of rows is taken in whole, before anything of it is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import IO

from django.db import IntegrityError, transaction

from operations import clock, registry
from operations.actions.people import person_of
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor, ActorKind
from operations.audit import RECEIVERS, append_entry
from operations.protocol.refusals import TooLarge
from operations.protocol.words import shortened, storable
from operations.roles import Ability, require
from reconciliation.models import Statement, StatementChunk
from reconciliation.models.statement import CHUNK_BYTES
from reconciliation.protocol.refusals import EmptyStatement
from reconciliation.protocol.statements.outcomes import Road
from reconciliation.queries.statement_profiles import statement_profile

ACT = "stage_statement"
LARGEST_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFile:
    """A file as it came. `stream` is seekable; `profile` names its form."""

    environment: str
    receiver: str
    profile: str
    name: str
    stream: IO[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """`is_new` is off for a file that came before, in the same form by the same road."""

    statement: Statement
    is_new: bool


def stage_statement(*, actor: Actor, file: StatementFile, started_by: str = "") -> Staged:
    """Keep the file, in pieces, in the database: every web and worker host reads it there.

    A person uploads one (`attested` at best); the command brings one with the account that
    `started_by` names. Raises NotPermitted, UnknownEnvironment, UnknownReceiver,
    UnknownStatementProfile, EmptyStatement, TooLarge.
    """
    with a_persons_act(ACT, actor=actor, subject=f"{file.environment} {file.receiver}"):
        is_person = actor.kind is ActorKind.PERSON
        if is_person:
            require(person_of(actor), Ability.SETTLE)
        registry.receiver(file.receiver, registry.environment(file.environment))
        statement_profile(file.profile, file.receiver)
    digest, size_bytes = _measured(file)
    statement = Statement(
        environment=file.environment,
        receiver=file.receiver,
        profile=file.profile,
        road=str(Road.PERSON if is_person else Road.MACHINE),
        file_name=storable(shortened(file.name, limit=200)),
        digest=digest,
        size_bytes=size_bytes,
        uploaded_by_id=actor.person_id,
        started_by=storable(started_by),
    )
    found = _same(statement)
    if found is not None:
        return Staged(statement=found, is_new=False)
    try:
        _keep(statement, file.stream, actor)
    except IntegrityError:  # the same file came twice at once
        found = _same(statement)
        if found is None:
            raise
        return Staged(statement=found, is_new=False)
    return Staged(statement=statement, is_new=True)


def _measured(file: StatementFile) -> tuple[str, int]:
    """The digest and the size. Raises EmptyStatement, TooLarge."""
    hashed, size_bytes = sha256(), 0
    for piece in _pieces(file.stream):
        hashed.update(piece)
        size_bytes += len(piece)
        if size_bytes > LARGEST_BYTES:
            raise TooLarge(expected=LARGEST_BYTES, got=f"more than {LARGEST_BYTES}")
    if not size_bytes:
        raise EmptyStatement(got=storable(shortened(file.name, limit=200)))
    return hashed.hexdigest(), size_bytes


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    stream.seek(0)
    while piece := stream.read(CHUNK_BYTES):
        yield piece


def _same(statement: Statement) -> Statement | None:
    identity = ("environment", "receiver", "profile", "road", "digest")
    return Statement.objects.filter(**{name: getattr(statement, name) for name in identity}).first()


@transaction.atomic
def _keep(statement: Statement, stream: IO[bytes], actor: Actor) -> None:
    statement.at = clock.now()
    statement.save(force_insert=True)
    for number, piece in enumerate(_pieces(stream)):
        StatementChunk(statement=statement, number=number, body=piece).save(force_insert=True)
    append_entry(
        about=None,
        stream=RECEIVERS,
        event=ACT,
        actor=actor,
        at=statement.at,
        reason=f"started by {statement.started_by}" if statement.started_by else "",
        detail={
            "statement": statement.pk,
            "environment": statement.environment,
            "receiver": statement.receiver,
            "profile": statement.profile,
            "file": statement.file_name,
            "digest": statement.digest,
            "bytes": statement.size_bytes,
        },
    )
