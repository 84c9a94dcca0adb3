"""The agents of the soak: those of the other campaigns, sent out for more, and answered no."""

import random
from contextlib import suppress
from typing import Any

import httpx

from opsconsole.client import OpsConsole, Refused
from tests.campaigns.soak.errands import draw, registration
from tests.campaigns.surroundings.agents import LEASE_SECONDS, Agents
from tests.campaigns.surroundings.bare import place_bare

# How long an agent observes what it can't send yet: somebody may approve it meanwhile.
WAIT_SECONDS = {"refund": 5.0}
REFUSALS = (409, 422)


class SoakAgents(Agents):
    """Also asks for refunds, withdraws, and sends to receivers that promise less."""

    def go_on(self, *, name: str, mine: list[str]) -> None:
        """Resume what an earlier life left unfinished; then one errand after the other."""
        chance = random.Random(f"{self._seed}/{name}")
        with self._console("client") as console, self._console("bare") as bare:
            for key in mine:
                self._resume(bare if "-bare-" in key else console, key)
            number = 0
            while not self._is_over.wait(chance.uniform(0, 2 * self._pause_seconds)):
                number += 1
                errand = draw(chance, f"{self.prefix}-{name}", number)
                with suppress(httpx.HTTPError):  # the receiver is away, and does nothing to it
                    for fault, seconds in errand.faults.items():
                        self.site.sandbox.fault(errand.key, fault, seconds=seconds)
                self._noting(errand.kind, lambda e=errand: self._place(console, e.kind, e.key))

    def end(self) -> None:
        """Place nothing more."""
        self._is_over.set()

    def send(self, key: str, idempotency_key: str, payload: Any, timeout_seconds: float) -> Any:
        """The call itself; raises Refused, or httpx.HTTPError for anything but a receipt."""
        answer = self.site.sandbox.post_order(
            key, payload, key=idempotency_key, timeout=timeout_seconds
        )
        try:
            if answer.status_code in REFUSALS:
                code = answer.json()["error"]["code"]
                raise Refused(status=answer.status_code, code=code, raw=answer.text)
            return answer.raise_for_status().json()
        except ValueError as error:
            raise httpx.DecodingError(f"no receipt: {error}") from error

    def _place(self, console: OpsConsole, kind: str, key: str) -> None:
        if kind == "withdraw":
            self._withdraw(console, key)
            return
        with suppress(Refused):
            if kind == "bare" or kind.startswith("console"):
                place_bare(self, registration(key), is_console=kind != "bare")
            else:
                self._effect(console, key, wait_seconds=WAIT_SECONDS.get(kind, 0)).send(
                    self._post(key)
                )

    def _resume(self, console: OpsConsole, key: str) -> None:
        def resume() -> None:
            with suppress(Refused):
                self._effect(console, key, wait_seconds=LEASE_SECONDS).send(self._post(key))

        self._noting("resumed", resume)

    def _effect(self, console: OpsConsole, key: str, *, wait_seconds: float) -> Any:
        return console.effect(
            **registration(key),
            lease_seconds=LEASE_SECONDS,
            wait_seconds=wait_seconds,
            report_seconds=15,
        )

    def _withdraw(self, console: OpsConsole, key: str) -> None:
        operation = console.register(**registration(key))
        console.transport.call(
            "POST",
            f"/operations/{operation['id']}/cancellation",
            {"version": operation["version"], "reason": "not needed any more"},
            repeat_seconds=console.repeat_seconds,
        )
