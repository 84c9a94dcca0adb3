import pytest

from operations.protocol.profiles import (
    RefusalRule,
    dedup_ends_at,
    is_definite_refusal,
    profile_mistakes,
    quarantine_ends_at,
)

from .build import (
    DEDUP_ENDS_AT,
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_profile,
    without_keys,
)

RULES = (RefusalRule(422, "out_of_stock"), RefusalRule(404), RefusalRule(None, "card_declined"))


@pytest.mark.parametrize(
    ("status", "code", "is_refusal"),
    [
        (422, "out_of_stock", True),
        (422, "other", False),
        (422, None, False),
        (400, "out_of_stock", False),
        (404, None, True),
        (404, "anything", True),
        (200, "card_declined", True),
        (None, "card_declined", True),
        (None, None, False),
        (500, None, False),
    ],
)
def test_a_refusal_is_definite_only_by_the_profiles_list(
    *, status: int | None, code: str | None, is_refusal: bool
) -> None:
    profile = a_profile(definite_refusals=RULES)
    assert is_definite_refusal(profile, status=status, code=code) is is_refusal


def test_an_empty_rule_refuses_nothing() -> None:
    profile = a_profile(definite_refusals=(RefusalRule(),))
    assert not is_definite_refusal(profile, status=400, code="no")


def test_the_quarantine_adds_delivery_delay_and_lookup_lag() -> None:
    assert quarantine_ends_at(a_profile(), SEND_DEADLINE_AT) == QUARANTINE_ENDS_AT


def test_a_key_protects_for_the_window_less_the_margin() -> None:
    assert dedup_ends_at(a_profile(), MARKED_AT) == DEDUP_ENDS_AT
    assert dedup_ends_at(without_keys(), MARKED_AT) is None
    assert dedup_ends_at(a_profile(dedup_window_seconds=None), MARKED_AT) is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"send_within_seconds": 0}, "send_within_seconds"),
        ({"delivery_delay_seconds": -1}, "delivery_delay_seconds"),
        ({"dedup_window_seconds": None}, "dedup_window_seconds"),
        ({"dedup_margin_seconds": 86_400}, "dedup_window_seconds"),
        ({"deduplicates": False}, "dedup_window_seconds"),
        ({"definite_refusals": (RefusalRule(),)}, "definite_refusals"),
        ({"definite_refusals": (RefusalRule(500),)}, "definite_refusals"),
        ({"definite_refusals": (RefusalRule(408),)}, "definite_refusals"),
        ({"definite_refusals": (RefusalRule(200),)}, "definite_refusals"),
    ],
)
def test_a_profile_that_contradicts_itself_is_told(changes: dict[str, object], field: str) -> None:
    assert [mistake[0] for mistake in profile_mistakes(a_profile(**changes))] == [field]


def test_sound_profiles_have_no_mistakes() -> None:
    sound = a_profile(definite_refusals=(RefusalRule(422), RefusalRule(200, "declined")))
    assert profile_mistakes(sound) == profile_mistakes(without_keys()) == []
