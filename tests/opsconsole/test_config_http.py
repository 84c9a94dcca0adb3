"""The documented JSON APIs are configurations that start; a mistake in one names its key."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from operations.receivers.connectors import connector
from operations.receivers.http import HttpReceiver
from operations.receivers.http_shape import DirectLookup, ListLookup, PagesBy
from tests.http_receivers import ROOT, SECRETS, documented, load

LOOKUPS = {
    "supplier": DirectLookup,
    "supplier-by-pages": PagesBy.NUMBER,
    "warehouse": PagesBy.CURSOR,
    "tickets": PagesBy.LINK_HEADER,
    "courier": DirectLookup,
    "mailer": type(None),
}


def refused(text: str) -> str:
    with pytest.raises(ImproperlyConfigured) as stopped:
        load(text)
    sentence = str(stopped.value)
    assert "expected" in sentence
    assert "got" in sentence
    assert not any(secret in sentence for secret in SECRETS.values())
    return sentence


def changed(receiver: str, old: str, new: str) -> str:
    """The documented text with one change, in one receiver."""
    text = documented()
    at = text.index(f"[receivers.{receiver}]")
    assert old in text[at:]
    return text[:at] + text[at:].replace(old, new, 1)


def test_every_documented_shape_starts():
    receivers = load(documented()).receivers
    names = {name for _, name in receivers}
    assert names == set(LOOKUPS)
    for (_, name), config in receivers.items():
        receiver = connector(config)
        assert isinstance(receiver, HttpReceiver)
        lookup = receiver.shape.lookup
        kind = lookup.pages.by if isinstance(lookup, ListLookup) else type(lookup)
        assert kind == LOOKUPS[name]
        assert config.profile.has_lookup is (lookup is not None)


def test_no_secret_is_in_a_repr_of_what_was_read():
    for config in load(documented()).receivers.values():
        shown = repr(config) + repr(connector(config)) + repr(config.settings)
        assert not any(secret in shown for secret in SECRETS.values())


@pytest.mark.parametrize(
    ("receiver", "old", "new", "key"),
    [
        ("supplier", 'url = "/orders"', 'url = "/orders"\nsurprise = 1', "http.surprise"),
        ("supplier", 'url = "/orders"', 'url = "/orders"\nmethod = "GET"', "http.method"),
        ("supplier", 'url = "/orders"', 'url = "orders"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "http://elsewhere/orders"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "//elsewhere/orders"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/../orders"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/%2e%2E/orders"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/orders#new"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/orders/.{key}"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/orders/{payload/sku}"', "http.url"),
        ("supplier", 'url = "/orders"', 'url = "/orders/{key"', "http.url"),
        ("supplier", '"{payload}"', '"{paylaod}"', "http.body"),
        ("supplier", '"{payload}"', '"all: {payload}"', "http.body"),
        ("supplier", '"{payload}"', '"{payload/a~b}"', "http.body"),
        ("supplier", '"{payload}"', '["{payload/a?}"]', "http.body"),
        ("supplier", '"{payload}"', "{payload}", "http.body"),
        ("supplier", '"{payload}"}', '"{payload}", "payload": 1}', "http.body"),
        ("supplier", '"operation_id": "{key}"', '"{key}": 1', "http.body"),
        ("supplier", '"Idempotency-Key"', '"Idempotency Key"', "http.idempotency_header"),
        ("supplier", '"Idempotency-Key"', '"Host"', "http.idempotency_header"),
        ("supplier", '{ Environment = "{', '{ environment = "a", Environment = "{', "http.headers"),
        ("supplier", '{ Environment = "{', '{ Content-Length = "3", X = "{', "http.headers"),
        ("supplier", '"{environment}" }', '"{environment}\\n" }', "http.headers.Environment"),
        ("supplier", '"{environment}" }', '"{payload}" }', "http.headers.Environment"),
        ("supplier", '"{environment}" }', '{ env = "HOME" } }', "http.headers.Environment"),
        ("supplier", 'key = "/operation_id"', 'key = "operation_id"', "http.receipt.key"),
        ("supplier", 'key = "/operation_id"', "", "http.receipt.key"),
        ("supplier", 'effect_id = "/effect_id"', "", "http.receipt.effect_id"),
        ("supplier", 'payload = "/payload"', "", "http.receipt.payload"),
        ("supplier", 'status = "/status"', "", "http.receipt.status"),
        ("supplier", 'confirmed = ["confirmed"]', "", "http.receipt.confirmed"),
        ("supplier", 'confirmed = ["confirmed"]', "confirmed = []", "http.receipt.confirmed"),
        ("supplier", 'confirmed = ["confirmed"]', "confirmed = [1.5]", "http.receipt.confirmed"),
        ("supplier", 'pending = ["pending"]', 'pending = ["confirmed"]', "http.receipt.status"),
        ("supplier", 'get = "/orders/{key}"', 'get = "/orders"', "http.lookup.get"),
        ("supplier", 'get = "/orders/{key}"', 'get = "/{idempotency_key}"', "http.lookup.get"),
        ("supplier", 'get = "/orders/{key}"', 'get = "/{key}"\nlist = "/"', "http.lookup"),
        ("supplier", "{ status = 404, body", "{ body", "http.lookup.not_found.status"),
        (
            "supplier",
            "{ status = 404, body",
            "{ status = 500, body",
            "http.lookup.not_found.status",
        ),
        (
            "supplier",
            "{ status = 404, body",
            "{ status = 429, body",
            "http.lookup.not_found.status",
        ),
        ("supplier", "status = 404, body", "status = 404, boby", "http.lookup.not_found"),
        (
            "courier",
            ', members = { "/result" = "none", "/ref" = "{key}" }',
            "",
            "http.lookup.not_f",
        ),
        ("courier", '"/ref" = "{key}" }', '"/ref" = "{name}" }', "http.lookup.not_found"),
        ("courier", '"/ref" = "{key}" }', '"ref" = "{key}" }', "http.lookup.not_found.members.ref"),
        ("courier", "staging = false }", "staging = true }", "http.receipt.environments"),
        ("courier", 'environment = "/live"', "", "http.receipt.environment"),
        ("warehouse", "search_limit = 2000", "", "http.lookup.search_limit"),
        ("warehouse", "search_limit = 2000", "search_limit = 0", "http.lookup.search_limit"),
        ("warehouse", 'parameter = "cursor", ', "", "http.lookup.pages.parameter"),
        ("warehouse", 'parameter = "cursor"', 'parameter = "limit"', "http.lookup.pages.parameter"),
        ("warehouse", ', next = "/next_cursor"', "", "http.lookup.pages.next"),
        ("warehouse", 'next = "/next', 'last_item = "/next', "http.lookup.pages.has_more"),
        ("warehouse", 'by = "cursor"', 'by = "scroll"', "http.lookup.pages.by"),
        ("warehouse", '"Bearer {credentials.token}"', '"Bearer abc"', "http.headers.Authorization"),
        ("warehouse", '"/sku" = "/line', '"/lines/0" = "/line', "http.receipt.fields"),
        ("warehouse", '"/sku" = "/line', '"/quantity/of" = "/line', "http.receipt.fields"),
        ("tickets", 'by = "link_header"', 'by = "link"', "http.lookup.pages.next"),
        (
            "courier",
            '"/result" = "ok" } }',
            '"/result" = "{key}" } }',
            "http.answer.members./result",
        ),
        ("courier", '"/result" = "ok" } }', '"/result" = 1.5 } }', "http.answer.members./result"),
        (
            "courier",
            'members = { "/result" = "ok"',
            'members = { "res" = "ok"',
            "http.answer.members",
        ),
        (
            "supplier",
            'get = "/orders/{key}"',
            'get = "/orders/{key}"\nlimit = 1',
            "http.lookup.limit",
        ),
    ],
)
def test_a_mistake_in_the_shape_is_named_by_its_key(receiver, old, new, key):
    sentence = refused(changed(receiver, old, new))
    assert f'receivers."{receiver}".{key}' in sentence


@pytest.mark.parametrize(
    ("receiver", "old", "new", "key"),
    [
        ("supplier", "has_lookup = true", "", "has_lookup"),
        ("supplier", 'error_code = "/error/code"', "", "definite_refusals"),
        ("mailer", "deduplicates = true", "deduplicates = true\nhas_lookup = true", "has_lookup"),
        ("warehouse", 'significant_fields = ["/sku", "/quantity"]', "", "significant_fields"),
        ("warehouse", '"/sku", "/quantity"]', '"/sku"]', "significant_fields"),
        ("warehouse", '"/sku", "/quantity"]', '"/sku", "/quantity", "/n"]', "significant_fields"),
        ("warehouse", "credentials = { token =", "credentials = { tokens =", "credentials"),
        ("warehouse", 'base_url = "https', 'base_url = "http', "base_url"),
        ("warehouse", 'base_url = "https://', 'base_url = "https://user:pw@', "base_url"),
        (
            "courier",
            "{ production = true, staging = false }",
            "{ staging = false }",
            "environments",
        ),
    ],
)
def test_a_profile_that_claims_what_the_shape_does_not_keep_is_refused(receiver, old, new, key):
    sentence = refused(changed(receiver, old, new))
    assert f'receivers."{receiver}".' in sentence
    assert key in sentence


def test_keys_are_claimed_only_where_one_is_sent():
    text = changed("mailer", 'idempotency_header = "X-Request-Id"\n', "")
    assert "deduplicates" in refused(text.replace('"tag": "{key}", ', "", 1))


def test_part_of_a_payload_needs_its_fields_named_with_what_they_are():
    text = changed("warehouse", 'significant_fields = ["/sku", "/quantity"]', "")
    assert "significant_fields: expected /quantity, /sku" in refused(text)


@pytest.mark.parametrize("secret", ["", "two\nlines", " s3cret", "s3crét"])
def test_a_credential_that_is_no_header_stops_the_start_without_being_shown(secret, monkeypatch):
    monkeypatch.setitem(SECRETS, "WAREHOUSE_TOKEN", secret)
    with pytest.raises(ImproperlyConfigured) as stopped:
        load(documented())
    assert 'receivers."warehouse".environments."production".credentials' in str(stopped.value)
    assert "s3c" not in str(stopped.value)


def test_a_receiver_outside_the_allowed_hosts_stops_the_start():
    sentence = refused(documented().replace('"api.mailer.example", ', "", 1))
    assert 'receivers."mailer".environments."production".base_url' in sentence
    assert "a host of allowed_hosts" in sentence
    assert "'api.mailer.example'" in sentence


def test_a_host_that_only_begins_or_ends_like_an_allowed_one_is_another_one():
    for other in ("api.mailer.example.evil.example", "evil-api.mailer.example"):
        text = documented().replace('"https://api.mailer.example/v3"', f'"https://{other}/v3"')
        assert other in refused(text)


def test_an_http_receiver_needs_the_list_of_hosts():
    lines = documented().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("allowed_hosts"))
    assert "opsconsole.toml: allowed_hosts: expected" in refused(text)


@pytest.mark.parametrize("host", ["https://api.mailer.example", "API.mailer.example", "a:443/", ""])
def test_a_host_is_a_name_alone(host):
    text = documented().replace('"api.mailer.example", ', f'"api.mailer.example", "{host}", ', 1)
    assert "allowed_hosts" in refused(text)


def test_the_list_once_given_holds_for_every_connector(tmp_path):
    text = documented() + (
        '[receivers.box]\nconnector = "sandbox"\n'
        '[receivers.box.environments.production]\nbase_url = "http://elsewhere.example"\n'
    )
    assert "elsewhere.example" in refused(text)


PLACES = {
    "http": 'url = "/orders"',
    "http.receipt": 'key = "/operation_id"',
    "http.lookup": 'get = "/orders/{key}"',
    "http.lookup.list": 'list = "/orders"\nitems',
    "http.answer": 'error_code = "/error/code"',
    "http.lookup.not_found": "not_found = { ",
    "http.lookup.pages": "pages = { ",
}


@pytest.mark.parametrize("place", PLACES)
def test_every_key_that_is_known_is_documented(place):
    """A misspelt name is answered with all that are known; each stands in the table of keys."""
    old = PLACES[place]
    separator = "" if old.endswith("{ ") else "\n"
    new = f"{old}{separator}surprise = 1{separator or ', '}"
    if place == "http.answer":
        new = f"{old}\nanswer = {{ surprise = 1 }}"
    if place == "http.lookup.list":
        new = 'list = "/orders"\nsurprise = 1\nitems'
    receiver = "supplier-by-pages" if "list" in place or "pages" in place else "supplier"
    sentence = refused(changed(receiver, old, new))
    known = re.search(r"expected one of (.*); got", sentence)
    assert known is not None
    table = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8").split("| key | what")[1]
    documented_keys = set(re.findall(r"`([a-z_]+)`", table.split("\n\n")[0]))
    assert set(known[1].split(", ")) <= documented_keys
