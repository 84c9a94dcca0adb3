"""Every variant with a broken rule: those of the published table, and more of our own."""

from typing import Any

from tests.campaigns.model.correct import (
    APPROVED,
    FENCING,
    FOLLOWED,
    FOLLOWED_LATE,
    FORGETFUL,
    KEYLESS,
    KEYS_KEPT,
    LAWLESS,
    TALKATIVE,
)
from tests.campaigns.model.promises import Promise
from tests.campaigns.model.state import NO, YES
from tests.campaigns.model.switches import (
    ALL_OF_RULE_3,
    ANY_TIME,
    KEYS_FORGOTTEN,
    NO_KEYS,
    WITHIN_QUARANTINE,
    WITHIN_WINDOW,
    Rules,
    World,
)
from tests.campaigns.model.variant import Kind, Variant

PROMPT = World(receiver=NO_KEYS, arrives=WITHIN_QUARANTINE)
REFUSING = World(receiver=KEYS_FORGOTTEN, arrives=WITHIN_WINDOW, replies=(YES, NO))
REJECTING = World(workers=1, generations=3, needs_approval=True)


def _broken(name: str, world: World, breaks: Promise, **rules: Any) -> Variant:
    return Variant(name=name, kind=Kind.BROKEN, world=world, rules=Rules(**rules), breaks=breaks)


OF_THE_TABLE = (
    _broken("A: mark after send", LAWLESS, Promise.ONE_EFFECT, marks_before_send=False),
    _broken(
        "B: a timer sends again when the lease ends",
        LAWLESS,
        Promise.ONE_EFFECT,
        only_people_release=False,
        ignored_at_mark=ALL_OF_RULE_3,
    ),
    _broken("C: the mark is not fenced", LAWLESS, Promise.ONE_EFFECT, mark_is_conditional=False),
    _broken(
        'E: the operator says "not sent", at will',
        LAWLESS,
        Promise.ONE_EFFECT,
        ignored=ALL_OF_RULE_3,
    ),
    _broken(
        "F: E, and the token is looked at again before the call",
        LAWLESS,
        Promise.ONE_EFFECT,
        ignored=ALL_OF_RULE_3,
        looks_again_before_send=True,
    ),
    _broken(
        "H: E, at a receiver that forgets keys",
        World(receiver=KEYS_FORGOTTEN, arrives=ANY_TIME),
        Promise.ONE_EFFECT,
        ignored=ALL_OF_RULE_3,
    ),
    _broken(
        "I: E, at a receiver with fencing only", FENCING, Promise.ONE_EFFECT, ignored=ALL_OF_RULE_3
    ),
)

OF_OUR_OWN = (
    _broken(
        "release before the quarantine is over",
        PROMPT,
        Promise.ONE_EFFECT,
        ignored=frozenset({"quarantine", "no_fresh_lookup"}),
    ),
    _broken(
        "a quarantine without the delivery delay",
        PROMPT,
        Promise.ONE_EFFECT,
        quarantine_has_delay=False,
    ),
    _broken(
        "not found counts though it was asked too early",
        PROMPT,
        Promise.ONE_EFFECT,
        early_answers_are_void=False,
    ),
    _broken(
        "a lookup counts from when it was written down",
        PROMPT,
        Promise.ONE_EFFECT,
        asked_at_counts=False,
    ),
    _broken(
        "release with the sender's attempt still open",
        KEYLESS,
        Promise.ONE_EFFECT,
        ignored=frozenset({"attempt_open"}),
    ),
    _broken(
        "no quarantine after a late end of the attempt",
        KEYLESS,
        Promise.ONE_EFFECT,
        quarantine_from_end=False,
    ),
    _broken(
        "the window is not judged again at the mark",
        FORGETFUL,
        Promise.ONE_EFFECT,
        ignored_at_mark=frozenset({"window_over"}),
    ),
    _broken(
        "release when the window is over",
        FORGETFUL,
        Promise.ONE_EFFECT,
        ignored=frozenset({"window_over"}),
    ),
    _broken("the same generation is marked again", PROMPT, Promise.ONE_EFFECT, marks_once=False),
    _broken("the HTTP layer repeats by itself", PROMPT, Promise.ONE_EFFECT, sends_once=False),
    _broken(
        "superseded before the old one is settled",
        FOLLOWED,
        Promise.ONE_EFFECT,
        supersedes_only_settled=False,
    ),
    _broken(
        "a late receipt does not hold the successor",
        FOLLOWED_LATE,
        Promise.HOLDS,
        late_receipt_holds_successor=False,
    ),
    _broken("the payload is not compared", TALKATIVE, Promise.EVIDENCE, compares_receipts=False),
    _broken(
        "a webhook of another environment confirms",
        TALKATIVE,
        Promise.EVIDENCE,
        heeds_environment=False,
    ),
    _broken("pending is taken for proof", TALKATIVE, Promise.EVIDENCE, pending_is_no_proof=False),
    _broken(
        "a duplicate answer is taken for a refusal",
        TALKATIVE,
        Promise.TRUE_NO,
        duplicate_is_no_refusal=False,
    ),
    _broken(
        "a refusal settles though another request was sent",
        REFUSING,
        Promise.TRUE_NO,
        refuses_only_attempt=False,
    ),
    _broken(
        "not found is taken for a refusal", PROMPT, Promise.TRUE_NO, not_found_is_no_refusal=False
    ),
    _broken(
        "cancelled with an attempt on record", APPROVED, Promise.TRUE_NO, cancels_only_unsent=False
    ),
    _broken(
        "a report under an older token confirms",
        KEYS_KEPT,
        Promise.STALE,
        stale_reports_settle_nothing=False,
    ),
    _broken("marked under a lease that is over", KEYS_KEPT, Promise.FENCE, mark_needs_lease=False),
    _broken(
        "the approval is asked for at the claim only",
        APPROVED,
        Promise.APPROVED,
        mark_needs_yes=False,
    ),
    _broken(
        "a yes goes on to hold after a release",
        APPROVED,
        Promise.APPROVED,
        release_asks_anew=False,
        yes_is_for_generation=False,
    ),
    _broken(
        "unexplained evidence holds no mark", TALKATIVE, Promise.HEARD, mark_heeds_evidence=False
    ),
    _broken(
        "released with unexplained evidence",
        KEYS_KEPT,
        Promise.HEARD,
        ignored=frozenset({"unexplained_evidence", "review_open"}),
    ),
    _broken("people decide on their own request", APPROVED, Promise.OTHERS, others_decide=False),
    _broken("the proposer agrees with itself", KEYS_KEPT, Promise.TWO, others_second=False),
    _broken(
        "one person releases alone",
        KEYLESS,
        Promise.TWO,
        ignored=frozenset({"needs_second_person"}),
    ),
    _broken(
        "an overdue request takes a yes", APPROVED, Promise.IN_TIME, overdue_takes_no_yes=False
    ),
    _broken("a rejection is not final", REJECTING, Promise.FINAL, ignored=frozenset({"rejected"})),
    _broken("leases never end", KEYS_KEPT, Promise.VISIBLE, leases_end=False),
    _broken("not found asks nobody", KEYS_KEPT, Promise.VISIBLE, not_found_asks_a_person=False),
    _broken(
        "an overdue request is never swept",
        APPROVED,
        Promise.AN_END,
        overdue_requests_are_swept=False,
    ),
)

BROKEN = OF_THE_TABLE + OF_OUR_OWN
