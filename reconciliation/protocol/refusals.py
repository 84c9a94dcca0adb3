"""Refusals of the webhook channel and of drills."""

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
