"""The functions that client tests give to `send`, and the receipts those return."""

from typing import Any

from reconciliation.sandbox.process import SandboxProcess


class Calls:
    """The function given to `send`: counts its calls, and answers or raises as told."""

    def __init__(self, answer: Any = None) -> None:
        self.answer, self.given = answer, []  # type: ignore[var-annotated]

    def __call__(self, key: str, payload: Any, timeout_seconds: float) -> Any:
        self.given.append((key, payload, timeout_seconds))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(key, payload) if callable(self.answer) else self.answer


def placing(sandbox: SandboxProcess, key: str) -> Calls:
    """Places the order at the sandbox and returns its receipt."""
    return Calls(lambda idem, payload: sandbox.post_order(key, payload, key=idem).json())


def receipt(key: str, **given: Any) -> dict[str, Any]:
    payload = {"sku": "vanilla", "quantity": 6}
    words = {"operation_id": key, "payload": payload, "status": "confirmed", "effect_id": key}
    return {**words, **given}


def order(key: str, **given: Any) -> dict[str, Any]:
    """What `effect` takes for a supplier order."""
    return {
        "key": key,
        "kind": "supplier.order",
        "receiver": "sandbox",
        "environment": "production",
        "payload": {"sku": "vanilla", "quantity": 6},
        **given,
    }
