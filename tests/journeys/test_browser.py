"""The same people with a real browser, where htmx swaps regions and nothing is reloaded."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.journeys.errands import an_order, in_the_inbox, operation_of
from tests.journeys.world import eventually

pytestmark = pytest.mark.browser


def choice(page: Page, code: str) -> Locator:
    """One of the choices on an operation's page, folded out."""
    found = page.locator(f"details.choice[data-choice={code}]")
    found.locator("summary").click()
    return found


def fill(form: Locator, **values: str) -> None:
    """Type into fields by their names."""
    for name, value in values.items():
        form.locator(f"[name={name}]").fill(value)


def press(page: Page, button: Locator, place: str, *, status: int = 200) -> None:
    """Press a button and wait for the answer, which htmx then swaps in."""
    with page.expect_response(lambda answer: place in answer.url) as answered:
        button.click()
    assert answered.value.status == status


def test_a_mistake_is_shown_and_kept_beside_the_button_and_the_second_person_confirms(
    world, sign_in
):
    operation = in_the_inbox(world, "order-browser")
    [effect] = world.sandbox.ledger("order-browser")["effects"]
    operator = sign_in("operator")
    operator.get_by_role("link", name="6 × vanilla").first.wait_for()
    operator.goto(f"/operations/{operation['id']}/")
    form = choice(operator, "attest")
    form.locator("[name=status]").select_option("confirmed")
    fill(
        form,
        operation_key="order-browser",
        effect_id=effect,
        value_0="vanilla",
        value_1="60",
        evidence="The sandbox's ledger",
        reason="Read off their ledger.",
    )
    press(operator, form.get_by_role("button"), "/attestation/", status=422)

    expect(form.get_by_text("/quantity").first).to_be_visible()
    expect(form.locator("[name=value_1]")).to_have_value("60")
    expect(form.locator("[name=effect_id]")).to_have_value(effect)
    fill(form, value_1="6")
    press(operator, form.get_by_role("button"), "/attestation/")
    expect(operator.get_by_text("Proposed:").first).to_be_visible()

    other = sign_in("operator2")
    other.goto(f"/operations/{operation['id']}/")
    proposal = other.locator("form[action*='/proposals/']")
    fill(proposal, reason="The same number there.")
    press(other, proposal.get_by_role("button", name="Agree"), "/proposals/")
    expect(other.locator("[data-state=confirmed]").first).to_be_visible()
    settled = operation_of(world, "order-browser")
    assert (settled["state"], settled["grade"]) == ("confirmed", "attested")
    assert world.counts("order-browser") == (1, 1)


def test_a_page_that_stays_open_shows_what_the_reconciler_found(world, sign_in):
    page = sign_in("viewer")  # first: the operation stays unknown for some 11 s only
    world.sandbox.fault("order-watched", "lose_reply", seconds=20)
    agent = world.agent(an_order("order-watched"))
    eventually(lambda: world.counts("order-watched"), lambda seen: seen == (1, 1))
    agent.kill()
    agent.communicate()
    page.goto(f"/operations/{operation_of(world, 'order-watched')['id']}/")
    expect(page.locator("[data-state=sent_unknown]").first).to_be_visible()
    expect(page.locator("[data-state=confirmed]").first).to_be_visible(timeout=60_000)
    assert world.counts("order-watched") == (1, 1)


def test_an_approver_agrees_on_the_page_and_the_console_sends_once(world, sign_in):
    with world.console("agent-2") as agent:
        operation = agent.register(
            key="refund-browser",
            kind="payment.refund",
            receiver="sandbox",
            environment="production",
            executor="console",
            payload={
                "order": "A-18",
                "amount": "240.00",
                "currency": "EUR",
                "reason": "wrong item",
            },
        )
    assert operation["state"] == "awaiting_approval"
    page = sign_in("approver")
    page.goto("/approvals/")
    form = page.locator(f"form[action$='/approvals/{operation['approval']['id']}/answer/']")
    fill(form, reason="They sent the wrong one.")
    press(page, form.get_by_role("button", name="Approve"), "/answer/")
    eventually(
        lambda: world.console("agent-2").get(operation["id"]),
        lambda seen: seen["state"] == "confirmed",
    )
    assert world.counts("refund-browser") == (1, 1)
    page.goto(f"/operations/{operation['id']}/")
    expect(page.get_by_text("They sent the wrong one.").first).to_be_visible()
