"""Refusals (409) by the operation's present record: claims, marks, keys, choices."""

from operations.protocol.refusal import Refusal


class KeyReused(Refusal):
    """Members: key, differences, count, operation_id; for the key's owner only."""

    code = "key_reused"
    sentence = (
        "Key {key} already names another request: expected the same request, "
        "got {count} difference(s). The first one is unchanged."
    )
    remedy_text = "Observe the existing operation; use a new key only for a new effect."


class KeyTaken(Refusal):
    """Nothing about the key's owner is said. Members: key."""

    code = "key_taken"
    sentence = "Key {key} is taken in this environment: expected a key of your own, got another's."
    remedy_text = "Choose another key, and a prefix that only this agent uses."


class NotClaimable(Refusal):
    """Members: expected, got (such as the state)."""

    code = "not_claimable"
    sentence = "The operation can't be claimed: expected {expected}, got {got}."
    remedy_text = "Follow the operation's next_action."


class AlreadyClaimed(Refusal):
    """Members: holder, purpose, until."""

    code = "already_claimed"
    sentence = "Expected a free operation, got one that {holder} holds for {purpose} until {until}."
    remedy_text = "Observe; claim again after that time if its next_action still says claim."


class CaseHeld(AlreadyClaimed):
    """Rule 7, between people. Members: holder, purpose, until."""

    sentence = "Expected a free case, got one that {holder} holds for {purpose} until {until}."
    remedy_text = "Ask them to hand it back, or wait until then; evidence is taken in meanwhile."


class StaleVersion(Refusal):
    """Rule 8. Members: expected (the present version), got (the one sent); `changes` may follow."""

    code = "stale_version"
    sentence = "The operation has changed: expected version {expected}, got {got}."


class StaleClaim(Refusal):
    """Members: expected (what a current claim would be), got."""

    code = "stale_claim"
    sentence = "The claim is not current: expected {expected}, got {got}."
    remedy_text = (
        "Do not send. A report under an older claim of yours is kept as evidence; fetch the "
        "operation and follow its next_action."
    )


class AlreadyMarked(Refusal):
    """Members: generation, since."""

    code = "already_marked"
    sentence = (
        "Generation {generation} was marked at {since}: expected a generation without an attempt, "
        "got one that may have been sent."
    )
    remedy_text = "Do not send. Ask for a lookup and observe."


class ApprovalRequired(Refusal):
    """Members: expected (such as "2 approvals"), got (such as "1")."""

    code = "approval_required"
    sentence = "Expected {expected}, got {got}. Nothing may be sent."
    remedy_text = "Do not send. Wait for people to decide; asking again observes the same request."


class Held(Refusal):
    """Members: expected, got (what holds the operation back)."""

    code = "held"
    sentence = "The operation is held: expected {expected}, got {got}."
    remedy_text = "Do not send. A person has to answer that first."


class Halted(Refusal):
    """Members: scope (such as "receiver sandbox"), since, by, reason."""

    code = "halted"
    sentence = (
        "Dispatch is halted for {scope} since {since} by {by} ({reason}): "
        "expected no halt, got one."
    )
    remedy_text = "Do not send. Wait until a person lifts the halt."


class OverCeiling(Refusal):
    """Members: ceiling (its name), expected, got."""

    code = "over_ceiling"
    sentence = "The ceiling {ceiling} is reached: expected at most {expected}, got {got}."
    remedy_text = "Do not send. Wait until the ceiling has room, or have a person raise it."


class NoLookup(Refusal):
    """Members: receiver."""

    code = "no_lookup"
    sentence = "Receiver {receiver} can't be looked up: expected a lookup by key, got none."
    remedy_text = "A person has to ask the receiver; see its contact and runbook."


class ChoiceClosed(Refusal):
    """Members: choice, closed_code, why (the blocker's sentence), how (its remedy), opens_at."""

    code = "choice_closed"
    sentence = "{choice} is closed ({closed_code}): {why}"
    remedy_text = "{how}"


class CannotCancel(Refusal):
    """Members: got (such as "an attempt of generation 1")."""

    code = "choice_closed"
    sentence = "Cancelling is closed: expected an operation that was never sent, got {got}."
    remedy_text = "Ask for a lookup and observe; what may have happened can't be withdrawn."


class AlreadyDecided(Refusal):
    """A decision that came second. Members: status, by, since."""

    code = "choice_closed"
    sentence = "Expected an open request, got one that is {status} (by {by} at {since})."
    remedy_text = "Read what ended it; that counts. What is still wanted needs a new request."


class ProposalVoid(Refusal):
    """Members: expected (the version proposed on), got (the present version)."""

    code = "stale_version"
    sentence = "The proposal is void: expected version {expected}, got {got}."
    remedy_text = "Look at what changed, and propose again if it is still right."
