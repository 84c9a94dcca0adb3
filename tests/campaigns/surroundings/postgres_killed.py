"""Campaign 9: SIGKILL to PostgreSQL and all its backends, again and again, under load."""

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.site import site_of
from tests.campaigns.surroundings.witness import Witness

MOST_KILLS = 300
FEWEST_KILLS_IN_SLICE, FEWEST_KILLS = 5, 20


def run(run: Run) -> Tally:
    """Kill while agents work; then heal and look back."""
    with site_of(run) as site:
        agents = Agents(site, Witness(), seed=run.seed, prefix="pg")
        kills = processes = 0
        fewest = FEWEST_KILLS_IN_SLICE if run.is_slice else FEWEST_KILLS
        slowest = 0.0
        with agents:
            while kills < fewest or _goes_on(run, kills):
                site.pause(run.random.uniform(0.3, 2.5))
                processes += site.kill_postgres()
                kills += 1
                if run.random.random() < 0.3:  # for a while there is none, not even for a login
                    site.pause(run.random.uniform(0, 1))
                slowest = max(slowest, site.start_postgres())
        after = look_back(agents, settled_in=heal(agents))
    work = {"kills": kills, "killed processes": processes}
    return after.tally(kills, work, note=f"the slowest start took {slowest:.1f} s")


def _goes_on(run: Run, kills: int) -> bool:
    if run.is_slice or kills >= MOST_KILLS:
        return False
    return run.seconds_left() > SETTLED_WITHIN_SECONDS


CAMPAIGN = Campaign(
    name="postgres-killed",
    title="PostgreSQL killed with SIGKILL under load",
    share=3,
    needs_seconds=90,
    run=run,
    least={
        "kills": FEWEST_KILLS,
        "killed processes": 5 * FEWEST_KILLS,
        "answers 503": 10,
        "acknowledged confirmations": 5,
        "pages read": 3,
    },
    least_in_slice={
        "kills": FEWEST_KILLS_IN_SLICE,
        "answers 503": 1,
        "acknowledged confirmations": 1,
    },
)
