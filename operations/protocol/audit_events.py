"""Every event of the audit trail as a person reads it. An entry keeps the word, pages show this."""

# What happens to an operation, in the order in which it usually does.
OF_AN_OPERATION: dict[str, str] = {
    "register": "Registered",
    "ask_again_observed": "Asked again: the same request was observed",
    "key_reused": "Refused: its key came with another request",
    "key_taken": "Refused: another agent asked for its key",
    "claim": "Claimed",
    "renew_claim": "Renewed the claim",
    "give_back_claim": "Gave the claim back",
    "expire_claim": "A claim's lease ran out",
    "stop_dispatch": "Not sent: a person has to look at it first",
    "approve": "Approved: it may be sent",
    "answer_approval": "Said yes; more people have to",
    "ask_again": "A new round of approval was asked for",
    "expire_approval": "The request for approval ran out",
    "cancel": "Cancelled; nothing was sent",
    "mark": "Marked as sent, before the call left",
    "turn_back": "Back to unknown: an attempt is on record",
    "end_attempt": "The sender reported how its attempt ended",
    "sender_gone": "Recorded that the sender is gone",
    "foreign_token": "Refused: it came without a token of the sender's own claim",
    "keep_stale_report": "Kept a report under an older claim",
    "keep_refusal": "Kept the receiver's no as evidence",
    "keep_receipt": "Kept a receipt as evidence",
    "corroborate": "The receiver's record agrees with what was reported",
    "request_lookup": "Asked for a lookup",
    "schedule_lookup": "Planned the next lookup",
    "look_up": "Asked the receiver",
    "confirm": "Confirmed",
    "refuse": "Refused by the receiver",
    "find_not_executed": "Found not executed",
    "release": "Released for one more send",
    "correct": "Corrected to confirmed",
    "open_review": "Opened a question for a person",
    "settle_review": "Settled a question",
    "take_case": "Took the case",
    "hand_back_case": "Handed the case back",
    "note": "Left a note",
    "propose": "Proposed a choice that takes two people",
    "reject_proposal": "Said no to a proposal",
    "expire_proposal": "A proposal ran out",
    "set_aside": "Set evidence aside",
    "supersede": "Superseded by a new operation",
    "compensate": "Compensated by a new operation",
}

# What happens to who may do what, and to the console as a whole.
OF_THE_CONSOLE: dict[str, str] = {
    "sign_in": "Signed in",
    "sign_in_failed": "A sign-in failed",
    "sign_out": "Signed out",
    "change_password": "Changed the password",
    "second_factor_added": "Added a second factor",
    "second_factor_removed": "Removed a second factor",
    "second_factor_reset": "Made new recovery codes",
    "not_permitted": "Refused: an agent without the right",
    "refused_act": "Refused: a person without the right",
    "add_person": "Made an account",
    "change_person": "Changed an account",
    "add_agent": "Made an agent",
    "change_agent": "Changed an agent",
    "create_token": "Made an API token",
    "revoke_token": "Revoked an API token",
    "halt_dispatch": "Halted dispatch",
    "resume_dispatch": "Resumed dispatch",
    "start_drill": "Started a drill",
    "drill_result": "Wrote down how one drill ended",
    "end_drill": "Ended a drill",
    "open_circuit": "A receiver failed too often: lookups there pause",
    "close_circuit": "A receiver answers again: lookups there go on",
    "certify_receiver": "Probed a receiver: what it does beside what is claimed of it",
    "reuse_webhook_id": "A webhook's id came again with other bytes: both are kept",
}

SENTENCES: dict[str, str] = OF_AN_OPERATION | OF_THE_CONSOLE


def sentence_of(event: str) -> str:
    """The event in words; one that this release does not know says so, with its word."""
    return SENTENCES.get(event) or f"{event}, which this release does not know"
