"""What stops a start: always one sentence that a person can act on."""


class CannotStart(Exception):
    """The message says what was found and what to do about it."""
