"""Which function plays which drill, and what became of one that was played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

import httpx
import structlog

from opsconsole.client import ApiProblem
from opsconsole.drill import agent_windows, claims, console_windows, messages
from opsconsole.drill.failing import Failed
from opsconsole.drill.scene import Scene
from reconciliation.protocol.drills import counts_fault

log = structlog.get_logger()

PLAYS: Mapping[str, Callable[[Scene], str]] = {
    "agent_before_mark": agent_windows.before_mark,
    "agent_before_call": agent_windows.before_call,
    "agent_before_answer": agent_windows.before_answer,
    "agent_before_report": agent_windows.before_report,
    "agent_after_confirmation": agent_windows.after_confirmation,
    "agent_awaiting_approval": agent_windows.awaiting_approval,
    "console_before_mark": console_windows.before_mark,
    "console_before_call": console_windows.before_call,
    "console_before_answer": console_windows.before_answer,
    "console_before_save": console_windows.before_save,
    "console_after_confirmation": console_windows.after_confirmation,
    "two_claimants": claims.two_claimants,
    "expired_lease": claims.expired_lease,
    "other_payload": messages.other_payload,
    "lost_message": messages.lost_message,
    "replayed_message": messages.replayed_message,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How one drill ended. `fault` is "" when it passed; None: nobody could count."""

    operation_id: UUID | None
    kills: int
    requests: int | None
    effects: int | None
    outcome: str
    fault: str


def play(scene: Scene) -> Played:
    """Play it to its end and count at the receiver; whatever goes wrong is its fault."""
    try:
        outcome, fault = _outcome(scene)
        requests, effects, uncounted = _counted(scene)
        counted = counts_fault(scene.drill, kills=scene.kills, requests=requests, effects=effects)
        return Played(
            operation_id=UUID(scene.operation_id) if scene.operation_id else None,
            kills=scene.kills,
            requests=requests,
            effects=effects,
            outcome=outcome,
            fault=" ".join(filter(None, [fault, counted, uncounted])),
        )
    finally:
        scene.close()


def _outcome(scene: Scene) -> tuple[str, str]:
    try:
        return PLAYS[scene.drill.name](scene), ""
    except Failed as failed:
        return _state(scene), str(failed)
    except ApiProblem as problem:
        return _state(scene), f"The console said {problem}"
    except Exception as error:  # receiver, broker or a mistake of ours: the others go on
        log.exception("drill failed", drill=scene.drill.name)
        return _state(scene), f"{type(error).__name__}: {error}"


def _state(scene: Scene) -> str:
    try:
        return str(scene.operation()["state"])
    except (ApiProblem, Failed):
        return "not known"


def _counted(scene: Scene) -> tuple[int | None, int | None, str]:
    """Requests and effects; without them, why nobody could count."""
    try:
        return *scene.ledger(), ""
    except Failed as failed:
        return None, None, str(failed)
    except httpx.HTTPError as error:
        return None, None, f"The receiver's ledger can't be read: {error or type(error).__name__}."
