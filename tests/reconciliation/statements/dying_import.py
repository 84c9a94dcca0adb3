"""A worker process that kills itself with SIGKILL at one point of a pass over a statement.

    python -m tests.reconciliation.statements.dying_import POINT TIMES RUN_ID

It runs the product's own code in batches of four rows; the point is a function of it that is
wrapped here, and death comes at its call number TIMES.
"""

import sys
from collections.abc import Callable
from typing import Any

from tests.reconciliation.actions.dying_worker import die

BATCH_ROWS = 4


def at_call(times: int, done: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    """`done`, and death at its call number `times`: instead of it, or before it is told of."""
    left = iter(range(times - 1, -1, -1))

    def act(*args: Any, **kwargs: Any) -> Any:
        is_last = next(left, 0) == 0
        if is_last and before:
            die()
        result = done(*args, **kwargs)
        if is_last:
            die()
        return result

    return act


def main(point: str, times: int, run_id: int) -> None:
    """Work on the run, and die on the way."""
    import django

    django.setup()
    from reconciliation.actions import apply_row as applying_row
    from reconciliation.actions import apply_rows as applying
    from reconciliation.actions import confirm_rows as confirming
    from reconciliation.actions import keep_orphans as keeping
    from reconciliation.actions import rehearse_statement as rehearsing
    from reconciliation.actions import run_statement as running

    running.BATCH_ROWS = BATCH_ROWS
    module, name, before = {
        "in_a_dry_run": (rehearsing, "_columns", True),
        "after_a_batch": (running, "rehearse_rows", False),
        "in_a_row": (applying_row, "mark_done", True),  # changed, and nothing committed
        "after_a_row": (applying, "apply_row", False),
        "among_matches": (confirming, "append_entries", True),
        "after_matches": (applying, "confirm_rows", False),
        "among_orphans": (keeping, "_keep", True),
        "before_the_place": (applying, "go_on", True),
        "before_the_end": (running, "end_application", True),
    }[point]
    setattr(module, name, at_call(times, getattr(module, name), before=before))
    running.run_statement(run_id=run_id, holder="dying")
    sys.exit("it lived")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
