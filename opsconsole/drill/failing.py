"""Why a drill failed, and why a run can't begin."""


class Failed(Exception):
    """One drill did not show what it has to; the sentence says what was expected and got."""


class CannotDrill(Exception):
    """A run can't begin: the sentence says why, and what to do."""
