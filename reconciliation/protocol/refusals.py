"""Refusals of the webhook channel, of drills and of statements."""

from operations.protocol.refusal import Refusal


class BadSignature(Refusal):
    """Nothing of such a delivery is kept. Members: header, expected, got."""

    code = "unauthenticated"
    status = 401
    sentence = "{header}: expected {expected}, got {got}."
    remedy_text = "Sign the body's bytes with this receiver's secret and a current timestamp."


class DrillIsRunning(Refusal):
    """One at a time. Members: number, since, until (both instants)."""

    code = "drill_is_running"
    sentence = "Drill {number} is running since {since}."
    remedy_text = "Wait until it is over; were it killed, it would be taken for over at {until}."


class UnknownStatementProfile(Refusal):
    """Members: expected (the profiles for this receiver), got."""

    code = "unknown_statement_profile"
    status = 422
    sentence = "profile: expected one of {expected}, got {got}."
    remedy_text = (
        "Use a form of file that is declared for this receiver, or declare it under [statements] "
        "in opsconsole.toml; how numbers and columns are written is never guessed."
    )


class EmptyStatement(Refusal):
    """Members: got (the file's name)."""

    code = "empty_statement"
    status = 422
    sentence = "file: expected the receiver's export, got {got} with 0 bytes."
    remedy_text = "Export it again and send the whole file."


class NotRehearsed(Refusal):
    """Members: got (how its dry run stands)."""

    code = "not_rehearsed"
    sentence = "The statement can't be applied: expected a dry run that is over, got {got}."
    remedy_text = "Wait for the dry run, or start another one, and read its totals."


class AppliedBefore(Refusal):
    """The same bytes were applied. Members: number (the statement's), since."""

    code = "applied_before"
    sentence = "This file was applied before, as statement {number} at {since}; nothing is changed."
    remedy_text = "Read what came of it there. Another export of the same rows may be imported."


class StatementProposed(Refusal):
    """Members: by, until."""

    code = "proposal_open"
    sentence = (
        "{by} has proposed to apply this statement; it waits for another person until {until}."
    )
    remedy_text = "Let another person answer the proposal."
