"""What is no acceptable JSON is refused with its place, and nothing ever answers 500."""

import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from operations.models import AuditEntry, Operation
from tests.operations.api.caller import ApiCaller, a_body, a_caller

pytestmark = pytest.mark.django_db
TEXT = json.dumps(a_body(key="order-malformed"))


def test_the_text_itself_is_fine(agent: ApiCaller) -> None:
    assert agent.post("/operations", TEXT).status == 201


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"quantity": 6', '"quantity": '),
        ('"quantity": 6', '"quantity": 6, "quantity": 6'),
        ('"quantity": 6', f'"quantity": {"1" * 101}'),
        ('"vanilla"', "[" * 80 + "]" * 80),
        ('"vanilla"', '"a\nb"'),
        ("}", "}}"),
        ("{", "\ufeff{"),
    ],
)
def test_malformed_json_names_the_place(agent: ApiCaller, before: str, after: str) -> None:
    answer = agent.post("/operations", TEXT.replace(before, after, 1).encode())
    assert answer.is_problem(400, "malformed_json"), answer
    assert answer["expected"]
    assert answer["got"]
    assert not Operation.objects.exists()


def is_refused_without_a_trace(agent: ApiCaller, text: str, *, field: str) -> bool:
    entries = AuditEntry.objects.count()
    answer = agent.post("/operations", text)
    assert answer.is_problem(400, "malformed_json"), answer
    assert answer["field"] == field
    return not Operation.objects.exists() and AuditEntry.objects.count() == entries


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud800"])
def test_text_that_the_record_can_not_hold_is_refused_by_its_field(
    agent: ApiCaller, text: str
) -> None:
    """Case 19: valid JSON that would be half written, or end in an error of the database."""
    body = TEXT.replace('"vanilla"', f'"{text}"')
    assert is_refused_without_a_trace(agent, body, field="/payload/sku")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_number_that_is_none_is_refused_by_its_field(agent: ApiCaller, number: str) -> None:
    """Case 21: what some readers of JSON take, and no database does."""
    body = TEXT.replace('"quantity": 6', f'"quantity": {number}')
    assert is_refused_without_a_trace(agent, body, field="/payload/quantity")


def test_bytes_that_are_no_utf8_are_malformed(agent: ApiCaller) -> None:
    body = TEXT.encode().replace(b"vanilla", b"van\xff")
    assert agent.post("/operations", body).is_problem(400, "malformed_json")


def test_a_payload_may_be_64_levels_deep_and_no_deeper(agent: ApiCaller) -> None:
    def nested(levels: int) -> str:
        return TEXT.replace('"vanilla"', "[" * (levels - 1) + "]" * (levels - 1), 1)

    # The kind's schema wants text there, so the deepest acceptable one is an invalid payload.
    assert agent.post("/operations", nested(64)).is_problem(422, "invalid_payload")
    assert agent.post("/operations", nested(66)).is_problem(400, "malformed_json")


def test_thousands_of_query_parameters_are_refused(agent: ApiCaller) -> None:
    answer = agent.get(f"/operations?{'&'.join(['a=1'] * 3000)}")
    assert answer.is_problem(422, "invalid_payload")
    assert answer["field"] == "query"


def test_a_chunked_body_is_told_to_announce_its_length(agent: ApiCaller) -> None:
    answer = agent.call("POST", "/operations", None, HTTP_TRANSFER_ENCODING="chunked")
    assert answer.is_problem(400, "malformed_json")
    assert answer["field"] == "Content-Length"


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES = (
    *("key", "kind", "receiver", "environment", "payload", "executor", "goal", "reference"),
    *("context", "supersedes", "compensates", "holder", "version", "lease_seconds", "nonce"),
    *("token", "receipt", "raw", "status", "code", "outcome", "detail", "reason", "dry_run"),
)
CALLS = (
    *("", "/claims", "/attempts", "/receipts", "/refusals", "/attempts/1/end", "/lookups"),
    *("/cancellation", "/claims/1/renewal", "/attempts/x/end", "/nowhere"),
)
BODIES = st.dictionaries(st.sampled_from(NAMES), JSON_VALUES, max_size=8)
# No address carries a lone surrogate.
ADDRESS = st.characters(codec="utf-8", exclude_characters="?#/\\")

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class NothingAnswers500(TestCase):
    """Each example rolls back, so that one can't prepare the way of the next."""

    caller: ApiCaller
    path: str
    good: dict[str, dict[str, Any]]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.caller = a_caller("agent-fuzz")
        operation, token = cls.caller.marked()
        cls.path = f"/operations/{operation['id']}"
        receipt = {"operation_id": operation["key"], "status": "pending", "payload": {}}
        cls.good = {
            "": a_body(),
            "/claims": {"holder": "x", "version": 1, "lease_seconds": 30},
            "/attempts": {"token": token},
            "/receipts": {"token": token, "receipt": receipt},
            "/refusals": {"token": token, "status": 422, "raw": ""},
            "/attempts/1/end": {"token": token, "outcome": "unknown", "detail": ""},
            "/cancellation": {"version": 1, "reason": "x"},
        }

    def _judge(self, call: str, body: Any) -> None:
        path = "/operations" if call == "" else f"{self.path}{call}"
        answer = self.caller.post(path, body)
        assert answer.status < 500, (call, body, answer)
        if answer.status >= 400:
            assert answer.is_problem(answer.status, answer["code"]), answer

    @QUICK
    @given(call=st.sampled_from(CALLS), body=BODIES)
    def test_any_members(self, call: str, body: dict[str, Any]) -> None:
        self._judge(call, body)

    @QUICK
    @given(data=st.data(), call=st.sampled_from(CALLS))
    def test_one_wrong_member_among_good_ones(self, data: st.DataObject, call: str) -> None:
        good = self.good.get(call, {})
        name = data.draw(st.sampled_from(sorted(good) or ["dry_run"]))
        self._judge(call, {**good, name: data.draw(JSON_VALUES)})

    @QUICK
    @given(call=st.sampled_from(CALLS), receipt=JSON_VALUES, odd=st.text(max_size=9))
    def test_any_receipt(self, call: str, receipt: Any, odd: str) -> None:
        good = self.good["/receipts"]
        members = {**good["receipt"], odd: receipt, "payload": {odd: receipt}}
        self._judge("/receipts", {**good, "receipt": members, "raw": odd})

    @QUICK
    @given(call=st.sampled_from(CALLS), body=st.binary(max_size=60))
    def test_any_bytes(self, call: str, body: bytes) -> None:
        self._judge(call, body)

    @QUICK
    @given(
        method=st.sampled_from(("GET", "POST", "DELETE", "PUT")),
        place=st.text(ADDRESS, min_size=1, max_size=30),
        query=st.dictionaries(
            st.sampled_from(("wait", "version", "limit", "cursor", "state", "key", "x")),
            st.text(max_size=12),
            max_size=3,
        ),
    )
    def test_any_path_and_query(self, method: str, place: str, query: dict[str, str]) -> None:
        query.pop("wait", None)
        for path in (f"/operations/{quote(place)}", "/operations", f"/{quote(place)}"):
            answer = self.caller.call(method, f"{path}?{urlencode(query)}")
            assert answer.status < 500, (method, path, query, answer)
