"""People settle what machines can't, on pages that need no script; two have to agree."""

import re

import httpx

from tests.journeys.errands import an_order, in_the_inbox, operation_of
from tests.journeys.person import Person
from tests.journeys.world import eventually


def sees(page: httpx.Response, *words: str) -> None:
    """The page says these words."""
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))
    missing = [word for word in words if word not in text]
    assert not missing, f"{page.url} lacks {missing}"


def test_a_hidden_effect_is_attested_by_two_people_after_a_mistake_was_shown(world):
    operation = in_the_inbox(world, "order-hidden")
    [effect] = world.sandbox.ledger("order-hidden")["effects"]
    entered = {
        "operation_key": "order-hidden",
        "effect_id": effect,
        "status": "confirmed",
        "value_0": "vanilla",
        "evidence": "The sandbox's ledger",
        "reason": "It is in their ledger.",
    }
    with Person(world, "operator") as operator, Person(world, "operator2") as other:
        sees(operator.read("/"), "order-hidden")
        refused = operator.decide(operation["id"], "/attestation/", **entered, value_1="60")
        assert refused.status_code == 422
        sees(refused, "/quantity", "60", "6")
        assert operation_of(world, "order-hidden")["state"] == "sent_unknown"

        proposed = operator.decide(operation["id"], "/attestation/", **entered, value_1="6")
        assert proposed.status_code == 303
        page = other.read(f"/operations/{operation['id']}/")
        sees(page, effect, "operator")
        [proposal] = [each.action for each in other.forms(page) if "/proposals/" in each.action]
        assert not [
            each
            for each in operator.forms(operator.read(f"/operations/{operation['id']}/"))
            if "/proposals/" in each.action
        ]
        agreed = other.send(page, proposal, answer="yes", reason="I see the same number there.")
        assert agreed.status_code == 303
        sees(other.read(f"/operations/{operation['id']}/"), "attested")
    settled = operation_of(world, "order-hidden")
    assert (settled["state"], settled["grade"]) == ("confirmed", "attested")
    assert world.counts("order-hidden") == (1, 1)


def test_the_page_says_why_release_is_closed_and_when_it_opens(world):
    world.sandbox.fault("order-on-its-way", "commit_late", seconds=8)
    world.agent(an_order("order-on-its-way")).communicate(timeout=60)
    operation = operation_of(world, "order-on-its-way")
    path = f"/operations/{operation['id']}/"
    with Person(world, "operator") as operator:
        page = operator.read(path)
        sees(page, "A request may still be in flight until", "delivery delay 5 s")
        assert not [each for each in operator.forms(page) if each.action.endswith("/release/")]
        eventually(
            lambda: operation_of(world, "order-on-its-way"),
            lambda seen: seen["state"] == "confirmed",
        )
        sees(operator.read(path), "confirmed")
    assert world.counts("order-on-its-way") == (1, 1)


def test_a_refund_waits_for_somebody_other_than_its_requester_and_is_sent_once(world):
    made = world.manage("create_token", "--agent", "agent-3", "--owner", "approver")
    token = next(line for line in made.splitlines() if line.startswith("oc_"))
    asked = {
        "key": "refund-1",
        "kind": "payment.refund",
        "receiver": "sandbox",
        "environment": "production",
        "executor": "console",
        "payload": {
            "order": "A-17",
            "amount": "950.00",
            "currency": "EUR",
            "reason": "damaged in transit",
        },
    }
    with (
        world.api(token) as api,
        Person(world, "approver") as requester,
        Person(world, "approver2") as approver,
        Person(world, "auditor") as auditor,
    ):
        operation = api.post("/operations", json=asked).raise_for_status().json()
        assert operation["state"] == "awaiting_approval"
        path = f"/approvals/{operation['approval']['id']}/answer/"
        page = approver.read("/approvals/")
        [form] = [each for each in approver.forms(page) if each.action == path]

        own = requester.read("/approvals/")
        assert not [each for each in requester.forms(own) if each.action == path]
        forged = requester.http.post(
            path,
            data={
                **form.values,
                "csrfmiddlewaretoken": requester.forms(own)[0].values["csrfmiddlewaretoken"],
                "answer": "yes",
                "reason": "I want it.",
            },
            headers={"Referer": str(own.url)},
        )
        assert forged.status_code == 403
        assert api.get(f"/operations/{operation['id']}").json()["state"] == "awaiting_approval"

        answered = approver.send(page, path, answer="yes", reason="The photographs show it.")
        assert answered.status_code == 303
        eventually(
            lambda: api.get(f"/operations/{operation['id']}").json(),
            lambda seen: seen["state"] == "confirmed",
        )
        assert world.counts("refund-1") == (1, 1)
        sees(
            auditor.read(f"/operations/{operation['id']}/"),
            "approver2",
            "The photographs show it.",
            operation["payload_digest"][:10],
        )
        sees(auditor.read("/audit/"), "approver2", "The photographs show it.")
