"""Each request has one name, wherever it is looked for."""

import pytest

from tests.browsing import Browser


def test_a_plain_request_id_is_kept(client):
    answer = client.get("/healthz", headers={"X-Request-ID": "caller-0001"})
    assert answer["X-Request-ID"] == "caller-0001"


@pytest.mark.parametrize("given", ["short", "with space in it", "x" * 65, "line\u2028feed-000"])
def test_another_one_is_replaced(client, given):
    answer = client.get("/healthz", headers={"X-Request-ID": given})
    assert answer["X-Request-ID"] != given
    assert len(answer["X-Request-ID"]) == 32


def test_two_requests_have_two_names(client):
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]


def test_a_page_may_run_no_inline_code(client):
    policy = client.get("/healthz")["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/accounts/2fa/", "/accounts/password/change/", "/no-such-page/", "/healthz"]
)
def test_no_answer_is_kept_by_a_browser(address):
    answer = Browser.of("viewer").get(address)
    assert "no-store" in answer["Cache-Control"]
