"""One real console for all journeys, and a browser for those that need one."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.chromium import arguments
from tests.journeys.world import World

WITHIN_MS = 20_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys start servers and wait for quarantines of half a minute."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.servers)
            item.add_marker(pytest.mark.timeout(240))


@pytest.fixture(scope="package")
def world() -> Iterator[World]:
    """Started once, ended with the last journey; every journey has keys of its own."""
    with tempfile.TemporaryDirectory(prefix="opsconsole-journeys-") as folder:
        world = World(Path(folder) / "data")
        try:
            world.start()
            yield world
        finally:
            world.stop()


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments())
        yield browser
        browser.close()


@pytest.fixture
def sign_in(world: World, browser: Browser) -> Iterator[Callable[[str], Page]]:
    """A page of a browser of one's own; no page may have an error of its own at the end."""
    contexts, errors = [], []

    def sign_in(name: str) -> Page:
        contexts.append(browser.new_context(base_url=world.url))
        page = contexts[-1].new_page()
        page.set_default_timeout(WITHIN_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto("/accounts/login/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(world.demo.passwords[name])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert errors == []
