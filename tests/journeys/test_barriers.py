"""What axe finds in the pages, light on a wide screen and dark on a phone: nothing."""

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from operations.actions.registration import idempotency_key_for
from tests.journeys.person import Person
from tests.journeys.world import World

pytestmark = pytest.mark.browser

SCREENS = [("light", 1440, 900), ("dark", 390, 844)]
PAGES = (
    "/",
    "/operations/",
    "/approvals/",
    "/receipts/",
    "/receipts/statements/",
    "/receivers/",
    "/audit/",
    "/drills/",
)


@pytest.fixture(scope="module")
def drilled(world: World) -> str:
    """The page of a run with one drill that passed and one that failed, for a planted reason."""
    with Person(world, "viewer") as viewer:
        earlier = re.findall(r'href="/drills/(\d+)/"', viewer.read("/drills/").text)
    key = f"drill-{max(map(int, earlier), default=0) + 1}-two-claimants"
    place = {"environment": "drill"}
    world.sandbox.fault(key, "ignore_key", **place)
    world.sandbox.post_order(key, key=idempotency_key_for("drill", key), **place)
    _, output = world.run("drill", "two_claimants", "agent_after_confirmation")
    assert "1 of 2 drills failed" in output, output
    [number] = re.findall(r"Kept as drill (\d+)", output)
    return f"/drills/{number}/"


@pytest.fixture(scope="module")
def told(world: World, drilled: str) -> list[str]:
    """The pages of a receipt of that run, and of its operation's effects."""
    with Person(world, "viewer") as viewer:
        listed = viewer.read("/receipts/?environment=drill").text
    [receipt, operation] = [
        re.findall(pattern, listed)[0]
        for pattern in (r'href="(/receipts/\d+/)"', r'href="(/operations/[0-9a-f-]+/)#receipts"')
    ]
    return [receipt, f"{operation}effects/"]


@pytest.mark.parametrize(("scheme", "width", "height"), SCREENS)
def test_no_page_has_a_barrier_or_is_wider_than_its_screen(
    sign_in: Callable[[str], Page],
    drilled: str,
    told: list[str],
    scheme: str,
    width: int,
    height: int,
) -> None:
    page = sign_in("auditor")
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    for address in (*PAGES, drilled, *told):
        page.goto(address)
        found = Axe().run(page).response["violations"]
        barriers = [(each["id"], each["nodes"][0]["html"][:200]) for each in found]
        assert (address, barriers) == (address, [])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
