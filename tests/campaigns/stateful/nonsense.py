"""Requests that are refused for what they are, whatever is on record."""

from collections.abc import Callable

from tests.campaigns.stateful.product import Product, code_of
from tests.operations.api.caller import ApiCaller, a_body

type Send = Callable[[Product], str]


def _registers(**given: object) -> Send:
    return lambda product: code_of(product.call("ours", "POST", "", a_body(**given)))


def _says(body: bytes | str) -> Send:
    return lambda product: code_of(product.call("ours", "POST", "", body))


def _with_narrow_token(product: Product) -> str:
    return code_of(product.cast.narrow.register())


def _without_token(product: Product) -> str:
    stranger = ApiCaller(token=product.cast.narrow.token, secret="oc_nobody")
    return code_of(stranger.register())


NONSENSE: dict[str, tuple[str, Send]] = {
    "a key with a tab": ("invalid_key", _registers(key="a\tb")),
    "no JSON": ("malformed_json", _says(b'{"key": ')),
    "a member twice": ("malformed_json", _says(b'{"key": "a", "key": "b"}')),
    "a large body": ("too_large", _says(b"[" + b" " * (3 * 1_048_576))),
    "a payload that its kind forbids": (
        "invalid_payload",
        _registers(payload={"sku": "vanilla", "quantity": 0}),
    ),
    "another member": ("unknown_field", _registers(dry_run=True)),
    "another kind": ("unknown_kind", _registers(kind="supplier.prayer")),
    "another receiver": ("unknown_receiver", _registers(receiver="moon")),
    "another environment": ("unknown_environment", _registers(environment="moon")),
    "a token of another environment": ("not_permitted", _with_narrow_token),
    "a token that nobody gave": ("unauthenticated", _without_token),
}
