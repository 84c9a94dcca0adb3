"""What the runner asks the sandbox and the console: faults, the ledger, and how much waits."""

from urllib.parse import quote

import httpx

from opsconsole.client import ApiProblem, OpsConsole
from opsconsole.demo.agents.errand import Errand
from opsconsole.demo.record import DemoRecord


class Books:
    """The sandbox's faults and ledger, and the console's count of what waits."""

    def __init__(self, demo: DemoRecord) -> None:
        self._demo = demo
        self._sandbox = httpx.Client(base_url=demo.sandbox_url, trust_env=False, timeout=10)

    def arm(self, errand: Errand) -> None:
        """Arm the errand's faults at the sandbox."""
        for fault, seconds in errand.faults.items():
            given = {"operation_id": errand.key, "fault": fault, "seconds": seconds}
            self._sandbox.post(
                "/faults",
                json={name: value for name, value in given.items() if value is not None},
                headers={"Environment": errand.environment},
            ).raise_for_status()

    def effects(self, errand: Errand) -> list[str]:
        """The effects that the sandbox made for the errand."""
        answer = self._sandbox.get(
            f"/ledger/{quote(errand.key, safe='')}", headers={"Environment": errand.environment}
        )
        effects: list[str] = answer.raise_for_status().json()["effects"]
        return effects

    def waiting_count(self) -> int:
        """How many unknown outcomes of the demo's agents wait for a person."""
        count = 0
        for token in self._demo.tokens.values():
            with OpsConsole(self._demo.url, token) as console:
                for operation in console.list(state="sent_unknown"):
                    count += operation["next_action"]["code"] == "ask_person"
        return count

    def is_ready(self) -> bool:
        """Whether sandbox and console both answer."""
        try:
            self._sandbox.get("/healthz").raise_for_status()
            httpx.get(f"{self._demo.url}/readyz", trust_env=False).raise_for_status()
            self.waiting_count()
        except (httpx.HTTPError, ApiProblem):
            return False
        return True
