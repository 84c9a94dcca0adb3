"""Why a drill failed, why a run can't begin, and that one was stopped."""


class Failed(Exception):
    """One drill did not show what it has to; the sentence says what was expected and got."""


class CannotDrill(Exception):
    """A run can't begin: the sentence says why, and what to do."""


class Stopped(Exception):
    """It was told to end (Ctrl-C, SIGTERM, SIGHUP) in the middle of a run, number `run`."""

    def __init__(self, run: int) -> None:
        self.run = run
        super().__init__(f"Drill {run} was stopped before its end.")
