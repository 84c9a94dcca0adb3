import string
from datetime import UTC, datetime, timedelta, timezone

import pytest

from operations.protocol import refusals
from operations.protocol.refusals import Halted, Refusal, StaleVersion, Unavailable

CONCRETE = sorted(
    {
        found
        for name in refusals.__all__
        if issubclass(found := getattr(refusals, name), Refusal) and found is not Refusal
    },
    key=lambda found: found.__name__,
)
# Design section 8: a closed list, by status.
CODES = {
    400: {"malformed_json", "invalid_key"},
    401: {"unauthenticated"},
    403: {"not_permitted", "own_request"},
    404: {"not_found"},
    405: {"not_found"},
    409: {
        "key_reused", "key_taken", "not_claimable", "already_claimed", "stale_version",
        "stale_claim", "already_marked", "approval_required", "held", "halted", "over_ceiling",
        "no_lookup", "choice_closed",
    },
    413: {"too_large"},
    422: {
        "invalid_payload", "unknown_field", "unknown_kind", "unknown_receiver",
        "unknown_environment", "receipt_mismatch",
    },
    429: {"rate_limited"},
    503: {"unavailable"},
}  # fmt: skip


def members_of(refusal: type[Refusal]) -> dict[str, object]:
    words = refusal.sentence + refusal.remedy_text
    names = [name for _, name, _, _ in string.Formatter().parse(words) if name is not None]
    return {name: f"<{name}>" for name in names}


@pytest.mark.parametrize("refusal", CONCRETE)
def test_every_refusal_has_code_sentence_and_remedy(refusal: type[Refusal]) -> None:
    raised = refusal(**members_of(refusal))
    assert raised.code in CODES[raised.status]
    for name in members_of(refusal):
        assert f"<{name}>" in raised.detail + raised.remedy
        assert name in (refusal.__doc__ or ""), "the docstring names each member"
    assert raised.remedy.endswith((".", ">"))
    assert str(raised) == raised.detail


def test_every_code_of_the_contract_has_a_refusal() -> None:
    found: dict[int, set[str]] = {}
    for refusal in CONCRETE:
        found.setdefault(refusal.status, set()).add(refusal.code)
    assert found == CODES


def test_what_has_no_code_of_its_own_is_plainly_refused() -> None:
    plain = Refusal()
    assert (plain.code, plain.status) == ("refused", 409)
    assert plain.detail == "The request was refused."


def test_a_member_left_out_is_an_error_at_once() -> None:
    for refusal in CONCRETE:
        for name in members_of(refusal):
            others = {other: "x" for other in members_of(refusal) if other != name}
            with pytest.raises(KeyError, match=name):
                refusal(**others)


def test_members_are_kept_for_machines_and_words_never_fill_in_others() -> None:
    refusal = StaleVersion(expected=4, got="{expected}", changes=["state"])
    assert refusal.members == {"expected": 4, "got": "{expected}", "changes": ["state"]}
    assert refusal.detail == "The operation has changed: expected version 4, got {expected}."


def test_instants_are_written_in_utc() -> None:
    since = datetime(2025, 11, 30, 11, 4, 11, tzinfo=timezone(timedelta(hours=1)))
    refusal = Halted(scope="receiver sandbox", since=since, by="tom", reason="maintenance")
    assert "since 2025-11-30 10:04:11 UTC by tom (maintenance)" in refusal.detail
    assert refusal.members["since"] == since.astimezone(UTC)


def test_the_remedy_names_the_wait() -> None:
    refusal = Unavailable(what="The database", retry_after_seconds=5)
    assert refusal.remedy == "Wait 5 s, then observe. After a failed mark do not send."
