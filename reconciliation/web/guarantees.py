"""What a receiver guarantees, in words: each with what follows where it does not."""

from dataclasses import dataclass
from datetime import timedelta

from operations.protocol.profiles import Profile
from operations.templatetags.wording import span


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise that the profile claims, or does not."""

    name: str
    is_given: bool
    sentence: str


def guarantees(profile: Profile) -> list[Guarantee]:
    """The profile's claims in a fixed order."""
    return [
        _keys(profile),
        Guarantee(
            "Notices a changed payload",
            profile.notices_changed_payload,
            "The same key with other bytes is refused there."
            if profile.notices_changed_payload
            else "The same key with other bytes may become another effect.",
        ),
        _lookup(profile),
        Guarantee(
            "Refuses older claims",
            profile.enforces_fencing,
            "It compares fencing tokens itself."
            if profile.enforces_fencing
            else "It takes what arrives; only our own mark keeps a late sender back.",
        ),
        _receipts(profile),
        Guarantee(
            "Bounded delays",
            is_given=True,
            sentence=(
                f"A send ends within {_length(profile.send_within_seconds)} and takes effect at "
                f"most {_length(profile.delivery_delay_seconds)} later: not found is believed "
                f"after {_length(_quarantine(profile))}."
            ),
        ),
    ]


def _keys(profile: Profile) -> Guarantee:
    if not profile.deduplicates or profile.dedup_window_seconds is None:
        sentence = "A second send is a second effect, whatever its key."
        return Guarantee("Deduplicates by key", is_given=False, sentence=sentence)
    return Guarantee(
        "Deduplicates by key",
        is_given=True,
        sentence=f"For {_length(profile.dedup_window_seconds)} after the first mark.",
    )


def _lookup(profile: Profile) -> Guarantee:
    if not profile.has_lookup:
        sentence = "Only people can ask it what happened."
        return Guarantee("Can be looked up by key", is_given=False, sentence=sentence)
    return Guarantee(
        "Can be looked up by key",
        is_given=True,
        sentence=f"Its answer is complete {_length(profile.lookup_lag_seconds)} after an effect.",
    )


def _receipts(profile: Profile) -> Guarantee:
    if profile.significant_fields is None:
        sentence = "A receipt must carry every field, equal."
        return Guarantee("Receipts carry the whole payload", is_given=True, sentence=sentence)
    named = ", ".join(profile.significant_fields) or "no field"
    return Guarantee(
        "Receipts carry the whole payload",
        is_given=False,
        sentence=f"Only {named} is compared; the page lists the rest.",
    )


def _quarantine(profile: Profile) -> int:
    delays = profile.delivery_delay_seconds + profile.lookup_lag_seconds
    return profile.send_within_seconds + delays


def _length(seconds: int) -> str:
    return span(timedelta(seconds=seconds))
