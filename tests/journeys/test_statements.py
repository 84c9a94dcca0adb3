"""A receiver's statement settles what look-ups could not: by the command, and on the page."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.errands import in_the_inbox, operation_of
from tests.journeys.world import World


def the_receivers_export(world: World, operation: dict, path: Path) -> str:
    """A file with the receiver's own record of this effect, and one of nobody's."""
    [effect] = world.sandbox.ledger(operation["key"])["effects"]
    record = {
        "operation_id": operation["key"],
        "payload": {"sku": "vanilla", "quantity": 6},
        "status": "confirmed",
        "effect_id": effect,
    }
    of_nobody = record | {"operation_id": f"{operation['key']}-of-nobody", "effect_id": "eff-x"}
    path.write_text("".join(json.dumps(each) + "\n" for each in (record, of_nobody)))
    return str(path)


def test_the_command_settles_a_hidden_effect_by_the_receivers_own_word(world, tmp_path):
    operation = in_the_inbox(world, "order-in-a-statement")
    file = the_receivers_export(world, operation, tmp_path / "may.jsonl")
    where = ["--receiver", "sandbox", "--environment", "production", "--profile", "sandbox"]
    dry = world.manage("import_receipts", file, *where)
    assert "would confirm its operation" in dry
    assert operation_of(world, "order-in-a-statement")["state"] == "sent_unknown"
    said = world.manage("import_receipts", file, *where, "--apply")
    assert "confirmed its operation" in said
    again = world.manage("import_receipts", file, *where, "--apply")
    assert "was applied before" in again
    settled = operation_of(world, "order-in-a-statement")
    assert (settled["state"], settled["grade"]) == ("confirmed", "receipt")
    assert settled["open_reviews"] == []
    assert world.counts("order-in-a-statement") == (1, 1)


@pytest.mark.browser
def test_two_people_settle_a_hidden_effect_by_an_upload(
    world: World, sign_in: Callable[[str], Page], tmp_path: Path
) -> None:
    operation = in_the_inbox(world, "order-uploaded")
    file = the_receivers_export(world, operation, tmp_path / "june.jsonl")
    page = sign_in("operator")
    page.goto("/receipts/")
    page.get_by_role("link", name="Statements").first.click()
    page.get_by_label("Receiver").select_option("sandbox in production")
    page.get_by_label("Form of the file").select_option("sandbox")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload and compare").click()
    expect(page.get_by_text("would confirm its operation")).to_be_visible()
    page.get_by_label("Reason").fill("Their export of June")
    page.get_by_role("button", name="Propose to apply it").click()
    expect(page.get_by_text("another person has to agree")).to_be_visible()
    assert operation_of(world, "order-uploaded")["state"] == "sent_unknown"
    other = sign_in("approver")
    other.goto(page.url)
    other.get_by_label("Reason").fill("I compared it with their portal")
    other.get_by_role("button", name="Agree, and apply it").click()
    expect(other.get_by_text("confirmed its operation")).to_be_visible()
    settled = operation_of(world, "order-uploaded")
    assert (settled["state"], settled["grade"]) == ("confirmed", "attested")
    assert world.counts("order-uploaded") == (1, 1)
