import pytest

from operations.protocol.profiles import (
    CallTimes,
    Profile,
    RefusalRule,
    dedup_ends_at,
    is_definite_refusal,
    last_call_at,
    profile_mistakes,
    quarantine_ends_at,
)

from .build import (
    DEDUP_ENDS_AT,
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_profile,
    after,
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


LATE = after(SEND_DEADLINE_AT, 600)
ENDED_LATE = CallTimes(SEND_DEADLINE_AT, closed_at=LATE)


def test_without_keys_the_last_call_can_have_left_until_the_senders_end() -> None:
    second = CallTimes(after(SEND_DEADLINE_AT, 100), closed_at=None)
    for attempts in ([ENDED_LATE, second], [second, ENDED_LATE]):
        assert last_call_at(without_keys(), attempts) == LATE
        assert last_call_at(a_profile(), attempts) == second.send_deadline_at


def test_an_early_end_and_none_leave_the_send_deadline() -> None:
    for closed_at in (MARKED_AT, None):
        attempt = CallTimes(SEND_DEADLINE_AT, closed_at)
        assert last_call_at(without_keys(), [attempt]) == SEND_DEADLINE_AT


def test_without_an_attempt_nothing_can_have_left() -> None:
    assert last_call_at(a_profile(), []) is last_call_at(without_keys(), []) is None


def test_a_key_protects_for_the_window_less_the_margin() -> None:
    assert dedup_ends_at(a_profile(), MARKED_AT) == DEDUP_ENDS_AT
    assert dedup_ends_at(without_keys(), MARKED_AT) is None
    assert dedup_ends_at(a_profile(dedup_window_seconds=None), MARKED_AT) is None


SAYS_NO = "a status that says no (400 to 499, but not 408), or a code with it"
OVER_MARGIN = "seconds, more than the margin of"


@pytest.mark.parametrize(
    ("changes", "mistake"),
    [
        ({"dedup_window_seconds": None}, ("dedup_window_seconds", f"{OVER_MARGIN} 3600", "None")),
        (
            {"dedup_margin_seconds": 86_400},
            ("dedup_window_seconds", f"{OVER_MARGIN} 86400", "86400"),
        ),
        (
            {"deduplicates": False},
            ("dedup_window_seconds", "none without deduplicates", "86400"),
        ),
        (
            {"lookups_per_minute": 0},
            ("lookups_per_minute", "at least 1, or none for no limit", "0"),
        ),
        (
            {"definite_refusals": (RefusalRule(),)},
            ("definite_refusals", "a status, a code or both", "neither"),
        ),
        *(
            (
                {"definite_refusals": (RefusalRule(status),)},
                ("definite_refusals", SAYS_NO, str(status)),
            )
            for status in (200, 399, 408, 500)
        ),
    ],
)
def test_a_profile_that_contradicts_itself_is_told(
    changes: dict[str, object], mistake: tuple[str, str, str]
) -> None:
    assert profile_mistakes(a_profile(**changes)) == [mistake]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("send_within_seconds", 1),
        ("lookup_interval_seconds", 1),
        ("lookup_limit_seconds", 1),
        ("lookups_at_once", 1),
        ("circuit_after_failures", 1),
        ("circuit_pause_seconds", 1),
        ("claims_before_stalled", 1),
        ("due_limit_seconds", 1),
        ("lookup_lag_seconds", 0),
        ("delivery_delay_seconds", 0),
        ("dedup_margin_seconds", 0),
    ],
)
def test_a_number_has_its_least(name: str, least: int) -> None:
    assert profile_mistakes(a_profile(**{name: least})) == []
    mistake = (name, f"at least {least}", str(least - 1))
    assert profile_mistakes(a_profile(**{name: least - 1})) == [mistake]


def test_what_is_not_claimed_of_a_receiver_is_not_promised() -> None:
    assert Profile(receiver="shop", connector="http") == Profile(
        receiver="shop",
        connector="http",
        deduplicates=False,
        dedup_window_seconds=None,
        dedup_margin_seconds=0,
        notices_changed_payload=False,
        has_lookup=False,
        lookup_lag_seconds=0,
        delivery_delay_seconds=0,
        enforces_fencing=False,
        send_within_seconds=30,
        definite_refusals=(),
        significant_fields=None,
        second_person=True,
        lookup_interval_seconds=30,
        lookup_limit_seconds=900,
        lookups_at_once=8,
        lookups_per_minute=None,
        circuit_after_failures=5,
        circuit_pause_seconds=30,
        link_template="",
        contact="",
        runbook="",
        claims_before_stalled=5,
        due_limit_seconds=300,
    )


def test_a_window_without_keys_protects_from_nothing() -> None:
    assert dedup_ends_at(a_profile(deduplicates=False), MARKED_AT) is None


def test_sound_profiles_have_no_mistakes() -> None:
    rules = (RefusalRule(400), RefusalRule(499), RefusalRule(200, "no"), RefusalRule(None, "no"))
    sound = a_profile(definite_refusals=rules)
    assert profile_mistakes(sound) == profile_mistakes(without_keys()) == []
