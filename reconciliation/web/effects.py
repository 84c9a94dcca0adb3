"""Two effects of one operation: all attempts and effects side by side, and how it may have been."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from operations.models import Attempt, Operation, Receipt
from operations.protocol.states import ChoiceCode
from operations.roles import Ability
from operations.web.access import abilities_of, page, user_of
from operations.web.detail.evidence import late_writes
from operations.web.operation_detail import dossier_or_404, head_context
from operations.web.panels import panels_of
from reconciliation.protocol.effects import CLOCKS_APART, Effect, Scene, may_belong
from reconciliation.protocol.hypotheses import hypotheses
from reconciliation.queries.effects import Compared, Named, compared

# What can follow from two effects; everything else is on the operation's own page.
FOLLOWING = (ChoiceCode.SETTLE_REVIEW, ChoiceCode.COMPENSATE, ChoiceCode.SUPERSEDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow:
    """One effect; `belongs` says which attempts it can belong to, by time."""

    effect: Effect
    first: Receipt
    channels: str
    standing: str
    tone: str
    payload: str
    belongs: str
    confirmed: Operation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One attempt with its claim; `fits` are the effects that can be its own, by time."""

    attempt: Attempt
    ended: str
    ended_at: datetime | None
    fits: Sequence[str]


@require_safe
@page(Ability.VIEW)
def effects(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Everything that is known of them, compared and judged by nobody."""
    dossier = dossier_or_404(request, operation_id)
    found = compared(dossier)
    panels, closed = panels_of(dossier, abilities_of(user_of(request)), None)
    context = {
        **head_context(dossier.head),
        "here": request.get_full_path(),
        "effects": [_effect_row(named, found.scene, dossier.operation) for named in found.named],
        "columns": _columns(found),
        "differing": _differing(found.attempts),
        "late_writes": late_writes(dossier),
        "hypotheses": hypotheses(found.scene),
        "probed_in": found.probed_in,
        "reviews": dossier.reviews,
        "following": [each for each in (*panels, *closed) if each.choice.code in FOLLOWING],
        "clocks_apart": int(CLOCKS_APART.total_seconds()),
    }
    return render(request, "reconciliation/effects.html", context)


def _effect_row(named: Named, scene: Scene, operation: Operation) -> EffectRow:
    effect, first = named.effect, named.receipts[0]
    standing, tone = _standing(named, operation)
    return EffectRow(
        effect=effect,
        first=first,
        channels=", ".join(dict.fromkeys(str(each.channel) for each in named.receipts)),
        standing=standing,
        tone=tone,
        payload=_PAYLOADS[effect.has_same_payload],
        belongs=_belongs(effect, scene),
        confirmed=named.confirmed,
    )


def _standing(named: Named, operation: Operation) -> tuple[str, str]:
    explained = [getattr(each, "explanation", None) for each in named.receipts]
    findings = [each.finding.replace("_", " ") for each in explained if each is not None]
    if named.effect.effect_id == operation.effect_id:
        return "on record: it confirmed this operation", "good"
    if findings:
        return f"people found: {findings[-1]}", "quiet"
    if named.confirmed is not None:
        return "confirmed another operation", "alarm"
    return "beside the record, unexplained", "unknown"


def _belongs(effect: Effect, scene: Scene) -> str:
    generations = may_belong(effect, scene)
    if not generations:
        return "no attempt, by its time"
    named = " or ".join(str(each) for each in generations)
    return f"attempt {named}" if len(generations) == 1 else f"attempts {named}"


def _columns(found: Compared) -> list[Column]:
    scene = found.scene
    return [
        Column(
            attempt=attempt,
            ended=send.outcome.replace("_", " ") if send.outcome else "its sender never said",
            ended_at=send.closed_at,
            fits=[e.effect_id for e in scene.effects if send.generation in may_belong(e, scene)],
        )
        for attempt, send in zip(found.attempts, scene.sends, strict=True)
    ]


def _differing(attempts: Sequence[Attempt]) -> dict[str, bool]:
    """What every attempt has to repeat, and whether these do not."""
    names = ("idempotency_key", "payload_digest", "request_digest")
    return {name: len({getattr(each, name) for each in attempts}) > 1 for name in names}


_PAYLOADS = {True: "this operation’s", False: "another one", None: "none that was compared"}
