"""The rules as they are, in every world they are made for, and the limits of what they can do."""

from tests.campaigns.model.promises import Promise
from tests.campaigns.model.state import DUPLICATE, NO, OTHERS, YES
from tests.campaigns.model.switches import (
    ALL_OF_RULE_3,
    ALL_REPLIES,
    ALL_WEBHOOKS,
    ANY_TIME,
    FENCING_ONLY,
    KEYS_FOR_EVER,
    KEYS_FORGOTTEN,
    NO_KEYS,
    WITHIN_QUARANTINE,
    WITHIN_WINDOW,
    Rules,
    World,
)
from tests.campaigns.model.variant import Kind, Variant

KEYS_KEPT = World(receiver=KEYS_FOR_EVER, arrives=ANY_TIME, hard_deadline=False)
FORGETFUL = World(receiver=KEYS_FORGOTTEN, arrives=WITHIN_WINDOW)
KEYLESS = World(receiver=NO_KEYS, arrives=WITHIN_QUARANTINE, hard_deadline=False)
FENCING = World(receiver=FENCING_ONLY, arrives=WITHIN_QUARANTINE, hard_deadline=False)
UNASKABLE = World(
    receiver=NO_KEYS, arrives=WITHIN_QUARANTINE, has_lookup=False, replies=ALL_REPLIES
)
TALKATIVE = World(
    receiver=KEYS_FOR_EVER,
    arrives=WITHIN_QUARANTINE,
    replies=ALL_REPLIES,
    webhooks=ALL_WEBHOOKS,
)
APPROVED = World(receiver=KEYS_FOR_EVER, arrives=ANY_TIME, hard_deadline=False, needs_approval=True)
THRICE_APPROVED = World(workers=1, generations=3, needs_approval=True)
THRICE_KEYLESS = World(
    receiver=NO_KEYS, arrives=WITHIN_QUARANTINE, workers=2, generations=3, hard_deadline=False
)
ALONE = World(receiver=KEYS_FORGOTTEN, arrives=WITHIN_WINDOW, second_person=False, workers=2)
SHARED_KEY = World(
    arrives=ANY_TIME, workers=2, others_send=True, needs_approval=True, replies=(YES, NO)
)
TOGETHER = World(
    receiver=KEYS_FORGOTTEN,
    arrives=WITHIN_WINDOW,
    needs_approval=True,
    replies=(YES, NO, DUPLICATE),
    webhooks=(YES, OTHERS),
)
FOLLOWED = World(receiver=NO_KEYS, arrives=WITHIN_QUARANTINE, has_successor=True, replies=(YES, NO))
FOLLOWED_LATE = World(receiver=KEYS_FOR_EVER, arrives=ANY_TIME, has_successor=True)
LAWLESS = World(receiver=NO_KEYS, arrives=ANY_TIME, hard_deadline=False)


def _holds(name: str, world: World) -> Variant:
    return Variant(name=name, kind=Kind.CORRECT, world=world)


CORRECT = (
    _holds("keys that are forgotten, approvals, answers and webhooks together", TOGETHER),
    _holds("keys for ever; anything may be late, senders may pause", KEYS_KEPT),
    _holds("keys for ever, with approvals", APPROVED),
    _holds("keys for ever, with approvals, up to three sends", THRICE_APPROVED),
    _holds("no keys, up to three sends", THRICE_KEYLESS),
    _holds("keys for ever, and somebody else uses the key too", SHARED_KEY),
    _holds("keys for ever, every answer and every webhook", TALKATIVE),
    _holds("keys that are forgotten; late, but within the window", FORGETFUL),
    _holds("keys that are forgotten, released by one person", ALONE),
    _holds("no keys: quarantine and closed attempt; senders may pause", KEYLESS),
    _holds("no keys and no lookup: only people settle", UNASKABLE),
    _holds("fencing only, treated as no keys; senders may pause", FENCING),
    _holds("no keys, with an operation that replaces it", FOLLOWED),
    Variant(
        name="keys for ever, replaced, anything may be late",
        kind=Kind.CORRECT,
        world=FOLLOWED_LATE,
        only=Promise.HOLDS,
    ),
)

SAFE = (
    Variant(
        name="D: fenced mark before send, no release at all",
        kind=Kind.SAFE,
        world=LAWLESS,
        rules=Rules(people_may_release=False),
    ),
    Variant(
        name="G: release at will, keys for ever",
        kind=Kind.SAFE,
        world=KEYS_KEPT,
        rules=Rules(ignored=ALL_OF_RULE_3),
        only=Promise.ONE_EFFECT,
    ),
    Variant(
        name="a release that asks for no new yes is stopped at the mark",
        kind=Kind.SAFE,
        world=APPROVED,
        rules=Rules(release_asks_anew=False),
    ),
)

LIMITS = (
    Variant(
        name="no keys, and requests that arrive after the quarantine",
        kind=Kind.LIMIT,
        world=LAWLESS,
        breaks=Promise.ONE_EFFECT,
    ),
    Variant(
        name="keys that are forgotten before a paused sender goes on",
        kind=Kind.LIMIT,
        world=World(receiver=KEYS_FORGOTTEN, arrives=WITHIN_WINDOW, hard_deadline=False),
        breaks=Promise.ONE_EFFECT,
    ),
    Variant(
        name="replaced while the old one's sender is paused",
        kind=Kind.LIMIT,
        world=World(
            receiver=NO_KEYS, arrives=WITHIN_QUARANTINE, hard_deadline=False, has_successor=True
        ),
        breaks=Promise.ONE_EFFECT,
    ),
    Variant(
        name="a margin shorter than a request's way",
        kind=Kind.LIMIT,
        world=World(receiver=KEYS_FORGOTTEN, arrives=WITHIN_WINDOW, margin_covers_way=False),
        breaks=Promise.ONE_EFFECT,
    ),
)
