"""What claiming, marking and reporting do in a web process, as an agent calls them."""

from collections.abc import Callable
from typing import Any

from tests.build import move_back
from tests.campaigns.harness.flows import cast, states
from tests.campaigns.harness.flows.flow import Flow, Role, Subject
from tests.operations.api.caller import a_receipt
from tests.people import look_up_nothing

# Of the policy in opsconsole.toml: a yes stays valid for 900 s.
PAST_THE_YES_SECONDS = 1000


def _ready() -> Subject:
    return states.subject(states.ready("ready"))


def _claimed() -> Subject:
    operation = states.ready("claimed")
    return states.subject(operation, token=states.claimed(operation))


def _marked() -> Subject:
    operation, attempt = states.marked("marked")
    return states.subject(operation, token=attempt.token)


def _held_by_another() -> Subject:
    operation = states.ready("held")
    states.claimed(operation)
    return states.subject(operation)


def _approved() -> Subject:
    operation = states.asked("approved")
    states.approve(operation)
    return states.subject(operation, token=states.claimed(operation))


def _yes_ran_out() -> Subject:
    operation = states.asked("ran-out")
    states.approve(operation)
    move_back(operation, PAST_THE_YES_SECONDS)
    return states.subject(operation, token=states.claimed(operation))


def _released() -> Subject:
    operation = states.released("released")
    return states.subject(operation, token=states.claimed(operation))


def _doubted() -> Subject:
    """Released, and by the mark the look-up that it rests on is too old."""
    operation = states.released("doubted")
    move_back(operation, 100)
    return states.subject(operation, token=states.claimed(operation))


def _reported(subject: Subject, **said: Any) -> Subject:
    effect = f"effect-{subject.key}"
    subject.given["receipt"] = a_receipt({"key": subject.key}, effect_id=effect, **said)
    return subject


def _told(**said: Any) -> Callable[[], Subject]:
    return lambda: _reported(_marked(), **said)


def _told_before() -> Subject:
    subject = _reported(_marked())
    _report(subject)
    return states.subject(subject.row, **subject.given)


def _older_token() -> Subject:
    """The reconciler took a newer claim meanwhile, and found nothing."""
    operation, attempt = states.marked("stale")
    look_up_nothing(operation)
    return _reported(states.subject(operation, token=attempt.token))


def _foreign_token() -> Subject:
    subject = _reported(_marked())
    subject.given["token"] += 1_000_000
    return subject


def _refusing(**said: Any) -> Callable[[], Subject]:
    def arrange() -> Subject:
        subject = _marked()
        subject.given["said"] = said
        return subject

    return arrange


def _claim(subject: Subject) -> str:
    body = {"holder": "worker", "version": subject.row.version, "lease_seconds": 30}
    return cast.ask(subject, "POST", f"{subject.path}/claims", {**body, "nonce": subject.key[-32:]})


def _renew(subject: Subject) -> str:
    return cast.ask(subject, "POST", f"{subject.path}/claims/{subject.given['token']}/renewal")


def _give_back(subject: Subject) -> str:
    return cast.ask(subject, "DELETE", f"{subject.path}/claims/{subject.given['token']}")


def _mark(subject: Subject) -> str:
    body = {"token": subject.given["token"]}
    return cast.ask(subject, "POST", f"{subject.path}/attempts", body)


def _after_a_lost_mark(subject: Subject) -> None:
    """As the client does: nothing was sent, so it says so; or it begins again, as far as that."""
    if not subject.row.attempts.filter(token=subject.given["token"]).exists():
        _mark(subject)
    _not_sent(subject)


def _end(outcome: str) -> Callable[[Subject], str]:
    def act(subject: Subject) -> str:
        body = {"token": subject.given["token"], "outcome": outcome, "detail": "It was cut off."}
        return cast.ask(
            subject, "POST", f"{subject.path}/attempts/{_generation(subject)}/end", body
        )

    return act


def _generation(subject: Subject) -> int:
    return subject.row.generation


_not_sent = _end("not_sent")


def _report(subject: Subject) -> str:
    body = {"token": subject.given["token"], "receipt": subject.given["receipt"]}
    return cast.ask(subject, "POST", f"{subject.path}/receipts", body)


def _refuse(subject: Subject) -> str:
    body = {"token": subject.given["token"], "raw": "{}", **subject.given["said"]}
    return cast.ask(subject, "POST", f"{subject.path}/refusals", body)


def _look_up(subject: Subject) -> str:
    return cast.ask(subject, "POST", f"{subject.path}/lookups")


def _withdraw(subject: Subject) -> str:
    body = {"version": subject.row.version, "reason": "No longer wanted."}
    return cast.ask(subject, "POST", f"{subject.path}/cancellation", body)


def _asked() -> Subject:
    return states.subject(states.asked("withdrawn"))


def _with_a_new_token() -> Subject:
    subject = _marked()
    subject.caller = cast.new_caller()
    return subject


def _read(subject: Subject) -> str:
    return cast.ask(subject, "GET", subject.path)


def _flow(
    name: str,
    arrange: Callable[[], Subject],
    act: Callable[[Subject], str],
    again: Callable[[Subject], object] | None = None,
) -> Flow:
    return Flow(name=name, role=Role.API, arrange=arrange, act=act, again=again)


REFUSED = {"status": 422, "code": "order_refused"}
OTHER = {"sku": "vanilla", "quantity": 5}

FLOWS = (
    _flow("read", _marked, _read),
    _flow("read with a new token", _with_a_new_token, _read),
    _flow("claim", _ready, _claim),
    _flow("claim what another holds", _held_by_another, _claim),
    _flow("renew", _claimed, _renew),
    _flow("give back", _claimed, _give_back),
    _flow("mark", _claimed, _mark, _after_a_lost_mark),
    _flow("mark under approval", _approved, _mark, _after_a_lost_mark),
    _flow("mark generation 2", _released, _mark, _after_a_lost_mark),
    _flow("mark when the yes ran out", _yes_ran_out, _mark),
    _flow("mark a release that no longer holds", _doubted, _mark),
    _flow("report a receipt", _told(), _report),
    _flow("report a receipt again", _told_before, _report),
    _flow("report another payload", _told(payload=OTHER), _report),
    _flow("report pending", _told(status="pending"), _report),
    _flow("report under an older token", _older_token, _report),
    _flow("report under a foreign token", _foreign_token, _report),
    _flow("report a definite refusal", _refusing(**REFUSED), _refuse),
    _flow("report another refusal", _refusing(status=500, code="busy"), _refuse),
    _flow("report a duplicate", _refusing(status=409, code="duplicate"), _refuse),
    _flow("report an unknown end", _marked, _end("unknown")),
    _flow("report not sent", _marked, _not_sent),
    _flow("ask for a lookup", _marked, _look_up),
    _flow("withdraw", _ready, _withdraw),
    _flow("withdraw what waits for approval", _asked, _withdraw),
)
