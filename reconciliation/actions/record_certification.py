"""What a probe of a receiver found is written down, once, with the entry that tells of it."""

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from operations.protocol.words import storable
from operations.receivers.base import ReceiverConfig
from reconciliation.models import Certification
from reconciliation.protocol.certification import Row, claims_of


@transaction.atomic
def record_certification(
    *, config: ReceiverConfig, seed: str, started_by: str, rows: Sequence[Row]
) -> Certification:
    """The dated row, and its entry on the trail of receivers.

    `started_by` is the account of the machine that started it.
    """
    told = [{name: storable(str(value)) for name, value in asdict(each).items()} for each in rows]
    kept = Certification.objects.create(
        environment=config.environment,
        receiver=config.name,
        at=clock.now(),
        started_by=storable(started_by),
        seed=seed,
        claims=claims_of(config.profile),
        rows=told,
    )
    append_entry(
        about=None,
        stream=RECEIVERS,
        event="certify_receiver",
        actor=Actor.system("certify_receiver"),
        at=kept.at,
        reason=f"started by {kept.started_by}",
        detail={
            "certification": kept.pk,
            "environment": kept.environment,
            "receiver": kept.receiver,
            "seed": seed,
            "findings": {each["probe"]: each["finding"] for each in told},
        },
    )
    return kept
