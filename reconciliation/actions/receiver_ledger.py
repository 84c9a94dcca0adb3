"""What a receiver itself counted under a key, where it shows that: the sandbox does."""

from collections.abc import Callable

from operations.receivers.addresses import as_segment
from operations.receivers.answers import read_json_object
from operations.receivers.base import NoAnswer, ReceiverConfig, Request
from operations.receivers.http_call import call_once

DEADLINE_SECONDS = 10.0


def ledger_of(config: ReceiverConfig) -> Callable[[str], tuple[int, int] | None]:
    """Gives (requests, effects) of a key, or None where nothing is shown."""

    def counted(key: str) -> tuple[int, int] | None:
        if config.profile.connector != "sandbox":
            return None
        request = Request(
            method="GET",
            url=f"{config.base_url}/ledger/{as_segment(key)}",
            headers={"Accept": "application/json", "Environment": config.environment},
            body=b"",
        )
        answer = call_once(request, deadline_seconds=DEADLINE_SECONDS)
        body = None if isinstance(answer, NoAnswer) else read_json_object(answer.raw)
        requests, effects = (body or {}).get("requests"), (body or {}).get("effects")
        if requests is None or not isinstance(effects, list):
            return None
        return int(str(requests)), len(effects)

    return counted
