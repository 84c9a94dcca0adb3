"""Careful people with a browser: they approve, and settle what is left by the receiver's books."""

import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Self

import httpx
import psycopg

from opsconsole.embedded.record import DATABASE
from tests.campaigns.soak.books import Case, cases, effects_of
from tests.campaigns.soak.errands import RECEIVERS, kind_of
from tests.campaigns.soak.site import SoakSite
from tests.journeys.person import Person

REASON = "By the receiver's own books."
REJECTED_OF_A_HUNDRED = 20
FOUND_NOT_EXECUTED_OF_A_HUNDRED = 40
# The effect in the books is this operation's own; a receipt of it that came by the wrong way to
# one that is confirmed already is another's.
ANSWERS = ("confirmed_attested", "corrected", "stands", "resumed", "not_ours")
# Asked again by deciding the operation itself.
DECIDED_WITH_IT = {"unknown_outcome", "stalled"}
DONE = 303
# A page or an answer may say so while things are broken, or somebody was quicker.
TOLERATED = (200, 303, 409, 422, 503)


class People:
    """Two operators and two approvers, none of whom asked for anything themselves."""

    def __init__(self, site: SoakSite, *, seed: int) -> None:
        self.site, self._seed = site, seed
        names = ("operator", "operator2", "approver", "approver2")
        with ThreadPoolExecutor() as pool:  # a password takes long to check, on purpose
            signed_in = list(pool.map(lambda name: Person(site, name), names))
        self.operator, self.second, *self.approvers = signed_in
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.are_agents_at_work = False

    def close(self) -> None:
        """Go home."""
        for person in (self.operator, self.second, *self.approvers):
            person.close()

    def cases(self) -> list[Case]:
        """What waits for somebody."""
        return cases(self.site.record.superuser_url(DATABASE))

    def approve(self, case: Case) -> None:
        """Each approver answers the request, unless that is not needed any more."""
        is_no = self._chance(case, REJECTED_OF_A_HUNDRED)
        for approver in self.approvers:
            self._send(approver, case, "requests", answer="no" if is_no else "yes", reason=REASON)

    def attend(self, case: Case) -> None:
        """Do the next thing that the evidence allows; what takes two is done by two."""
        if case.state == "awaiting_approval":
            self.approve(case)
        questions = [each for each in case.questions if each not in DECIDED_WITH_IT]
        if questions:
            self._answer(case)
        elif case.state == "sent_unknown":
            self._settle(case)
        elif "stalled" in case.questions:
            self._answer(case)
        self._send(self.second, case, "proposals", answer="yes", reason=REASON)

    def _settle(self, case: Case) -> None:
        effects = effects_of(case.key, self.site.directory.sandbox)
        if effects and kind_of(case.key) == "phone":
            self._send(
                self.operator,
                case,
                "attestation",
                operation_key=case.key,
                effect_id=effects[0],
                status="confirmed",
                value_0="vanilla",
                value_1="6",
                evidence="their ledger",
                reason=REASON,
            )
        elif effects:
            self._send(self.operator, case, "lookup")
        else:
            self._settle_nothing(case)

    def _settle_nothing(self, case: Case) -> None:
        """Nothing is in the books: released for one more send, or found not executed.

        Who refused it without being heard refuses it again, so nothing is released twice.
        """
        finds = case.receiver == RECEIVERS["phone"] or case.generation > 1
        finds = finds or self._chance(case, FOUND_NOT_EXECUTED_OF_A_HUNDRED)
        if self.are_agents_at_work:  # one may have been stopped just before its call
            if not finds and case.receiver not in RECEIVERS.values():  # a key protects from it
                self._send(self.operator, case, "release", reason=REASON)
            return
        named = {"named_answer": "Ms Okafor: no such order", "reason": REASON}
        ways: list[Callable[[], bool]] = [
            lambda: finds and self._send(self.operator, case, "finding", **named),
            lambda: not finds and self._send(self.operator, case, "release", reason=REASON),
            lambda: self._close_attempt(case),
            lambda: self._explain(case),
            lambda: self._send(self.operator, case, "lookup"),
        ]
        any(way() for way in ways)

    def _close_attempt(self, case: Case) -> bool:
        """Nobody's process is left: all agents were killed."""
        page = self._page(self.operator, case)
        generations = _options(page, "closure", r'<option value="(\d+)"')
        if not generations:
            return False
        given = {"generation": generations[-1], "reason": REASON}
        both = [self._send(each, case, "closure", **given) for each in (self.operator, self.second)]
        return any(both)

    def _explain(self, case: Case) -> bool:
        """A report that came too late says nothing that the books do not."""
        page = self._page(self.operator, case)
        evidence = _options(page, "explanation", r'name="evidence" value="([^"]+)"')
        findings = _options(page, "explanation", r'name="finding" value="([^"]+)"')
        return bool(evidence) and self._send(
            self.operator,
            case,
            "explanation",
            evidence=evidence[0],
            finding=findings[-1],
            reason=REASON,
        )

    def _answer(self, case: Case) -> None:
        page = self._page(self.operator, case)
        offered = _options(page, "reviews", r'name="finding" value="([^"]+)"')
        chosen = next((each for each in ANSWERS if each in offered), None)
        if chosen:
            self._send(self.operator, case, "reviews", finding=chosen, reason=REASON)
        else:
            self._send(self.operator, case, "lookup")

    def _chance(self, case: Case, of_a_hundred: int) -> bool:
        return Random(f"{self._seed}/{case.key}").randrange(100) < of_a_hundred

    def _page(self, person: Person, case: Case) -> httpx.Response | None:
        try:
            page = person.http.get(f"/operations/{case.id}/")
        except httpx.HTTPError:
            return None
        self._judge(page)
        return page if page.is_success else None

    def _send(self, person: Person, case: Case, noun: str, **fields: str) -> bool:
        """Whether the form was there, and was carried out."""
        page = self._page(person, case)
        forms = person.forms(page) if page else []
        [form, *_] = [each for each in forms if f"/{noun}/" in each.action] or [None]
        if page is None or form is None:
            return False
        try:
            answer = person.send(
                page, form.action, **{n: v for n, v in fields.items() if n in form.names}
            )
        except httpx.HTTPError:
            return False
        self._judge(answer)
        if answer.status_code == DONE:
            self.done[noun] += 1
        return answer.status_code == DONE

    def _judge(self, answer: httpx.Response) -> None:
        if answer.status_code not in TOLERATED:
            self.faults.append(f"{answer.request.url}: answered {answer.status_code}")


class Attending:
    """People at work in a thread of their own, while the block lasts and agents do too."""

    def __init__(self, people: People) -> None:
        self._people = people
        people.are_agents_at_work = True
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._is_over.set()
        self._thread.join(timeout=90)
        self._people.are_agents_at_work = False

    def _work(self) -> None:
        while not self._is_over.wait(0.5):
            try:
                cases = self._people.cases()
            except psycopg.OperationalError:  # the database is away at present
                continue
            for case in cases:
                if not self._is_over.is_set():
                    self._people.attend(case)


def _options(page: httpx.Response | None, noun: str, pattern: str) -> list[str]:
    """What the first form of this noun offers."""
    found = re.search(rf'action="[^"]*/{noun}/[^"]*".*?</form>', page.text if page else "", re.S)
    return re.findall(pattern, found[0]) if found else []
