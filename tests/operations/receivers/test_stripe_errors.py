"""One word for each of Stripe's errors, and never a "no" for what is none."""

import json

import pytest

from operations.actions.record_refusal import DUPLICATE_CODES
from operations.receivers.http_call import HttpAnswer
from operations.receivers.stripe_errors import refusal_code
from operations.receivers.stripe_words import KEY_REUSED, NEVER_DEFINITE


def an_error(status: int, **error: object) -> HttpAnswer:
    return HttpAnswer(status=status, headers={}, raw=json.dumps({"error": error}).encode())


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (an_error(402, type="card_error", code="card_declined"), "card_declined"),
        (an_error(402, type="card_error"), "card_error"),
        (
            an_error(400, type="invalid_request_error", code="charge_already_refunded"),
            "charge_already_refunded",
        ),
        (an_error(404, type="invalid_request_error", code="resource_missing"), "resource_missing"),
        (an_error(400, type="invalid_request_error", message="no"), "invalid_request_error"),
        (an_error(400, type="invalid_request_error", code=7), "invalid_request_error"),
        (an_error(400, type="invalid_request_error", code="c" * 256), "invalid_request_error"),
    ],
)
def test_a_no_carries_stripes_own_code(answer, word):
    assert refusal_code(answer) == word


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (an_error(400, type="idempotency_error"), KEY_REUSED),
        (an_error(400, type="idempotency_error", code="card_declined"), KEY_REUSED),
        (
            an_error(409, type="idempotency_error", code="idempotency_key_in_use"),
            "idempotency_key_in_use",
        ),
        (an_error(409, type="invalid_request_error", code="card_declined"), "api_error"),
        (an_error(500, type="api_error"), "api_error"),
        (an_error(503, type="card_error", code="card_declined"), "api_error"),
        (an_error(429, type="invalid_request_error", code="rate_limit"), "rate_limit"),
        (an_error(400, type="invalid_request_error", code="rate_limit"), "rate_limit"),
        (an_error(429, type="invalid_request_error", code="lock_timeout"), "lock_timeout"),
        (an_error(401, type="invalid_request_error", code="api_key_expired"), None),
        (an_error(403, type="invalid_request_error", code="resource_missing"), None),
        (an_error(402, type="card_error", code="processing_error"), "processing_error"),
    ],
)
def test_what_is_no_definite_no_has_a_word_that_no_profile_may_list(answer, word):
    found = refusal_code(answer)
    assert found in NEVER_DEFINITE
    assert word is None or found == word


def test_a_key_of_another_request_opens_the_question_of_a_duplicate():
    assert KEY_REUSED in DUPLICATE_CODES


@pytest.mark.parametrize(
    "raw",
    [b"", b"<html>", b"[]", b"5", b'{"error":5}', b'{"error":"x"}', b'{"error":null}', b"\xff"],
)
def test_a_body_that_is_no_error_of_stripes_has_no_code(raw):
    assert refusal_code(HttpAnswer(status=400, headers={}, raw=raw)) is None


def test_an_answer_that_is_no_error_has_no_code():
    assert refusal_code(HttpAnswer(status=200, headers={}, raw=b'{"error":{}}')) is None
