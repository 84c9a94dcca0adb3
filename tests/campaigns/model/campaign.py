"""The campaign: every variant explored, every verdict compared with the expected one."""

from operations.protocol.transitions import state_pairs
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.model.variant import Kind
from tests.campaigns.model.variants import SMALL, VARIANTS, Explored, explore_variant


def run(run: Run) -> Tally:
    """Exhaustive or nothing: the model is small, so it is never cut short by the budget.

    A slice has one worker, who may die and come back: enough for each counterexample.
    """
    all_of_them: list[Explored] = []
    for variant in SMALL if run.is_slice else VARIANTS:
        explored = explore_variant(variant, most_workers=1 if run.is_slice else None)
        all_of_them.append(explored)
        found = explored.found
        verdict = f"{len(found.trace)} steps break it" if found.broken else "holds"
        run.say(f"{variant.kind.value}: {variant.name}: {found.states:,} states, {verdict}")
    return tally(all_of_them)


def tally(all_of_them: list[Explored]) -> Tally:
    """The states explored in total, and every verdict that was not the expected one."""
    moves = frozenset[object]().union(*(explored.found.moves for explored in all_of_them))
    states = sum(explored.found.states for explored in all_of_them)
    holding = [explored for explored in all_of_them if explored.found.broken is None]
    found = [explored for explored in all_of_them if explored.found.broken is not None]
    broken = [explored for explored in found if explored.variant.kind is Kind.BROKEN]
    return Tally(
        points=states,
        violations=tuple(explored.mistake for explored in all_of_them if explored.mistake),
        work={
            "transitions": sum(explored.found.transitions for explored in all_of_them),
            "variants that hold": len(holding),
            "broken variants found": len(broken),
            "moves of the table": len(moves & state_pairs()),
        },
        note=f"{len(found) - len(broken)} limits of what a receiver can give are shown too",
    )


CAMPAIGN = Campaign(
    name="model",
    title="the protocol's model, explored exhaustively; each broken rule must be found",
    share=0,
    needs_seconds=50,
    run=run,
    least={
        "transitions": 2_500_000,
        "variants that hold": 17,
        "broken variants found": 40,
        "moves of the table": len(state_pairs()),
    },
    least_in_slice={
        "variants that hold": 16,
        "broken variants found": 40,
        "moves of the table": len(state_pairs()),
    },
)
