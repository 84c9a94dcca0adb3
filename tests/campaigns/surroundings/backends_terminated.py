"""Campaign 9: PostgreSQL ends sessions of web, worker and sweeper, whatever they are doing."""

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.site import Site, site_of
from tests.campaigns.surroundings.witness import Witness

FEWEST_ROUNDS_IN_SLICE, FEWEST_ROUNDS = 12, 40
OURS = """
    SELECT pid, state FROM pg_stat_activity
    WHERE usename = 'ops_runtime' AND backend_type = 'client backend'
"""
END = "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM unnest(%s::int[]) AS pid"


def run(run: Run) -> Tally:
    """End a few sessions, and all of them at times, while agents work."""
    with site_of(run) as site:
        agents = Agents(site, Witness(), seed=run.seed, prefix="backend")
        rounds = ended = busy = 0
        fewest = FEWEST_ROUNDS_IN_SLICE if run.is_slice else FEWEST_ROUNDS
        with agents:
            while rounds < fewest or _goes_on(run):
                site.pause(run.random.uniform(0.1, 0.8))
                more, of_them_busy = _end_some(run, site)
                rounds, ended, busy = rounds + 1, ended + more, busy + of_them_busy
        after = look_back(agents, settled_in=heal(agents))
    work = {"rounds": rounds, "ended sessions": ended, "ended in a transaction or query": busy}
    return after.tally(rounds, work)


def _end_some(run: Run, site: Site) -> tuple[int, int]:
    with site.superuser() as connection:
        found = connection.execute(OURS).fetchall()
        if not found:
            return 0, 0
        count = len(found) if run.random.random() < 0.2 else run.random.randint(1, 3)
        chosen = run.random.sample(found, min(count, len(found)))
        row = connection.execute(END, [[pid for pid, _ in chosen]]).fetchone()
    busy = sum(state != "idle" for _, state in chosen)
    return (row[0] if row else 0), busy


def _goes_on(run: Run) -> bool:
    return not run.is_slice and run.seconds_left() > SETTLED_WITHIN_SECONDS


CAMPAIGN = Campaign(
    name="backends-terminated",
    title="Sessions ended by pg_terminate_backend under load",
    share=1,
    needs_seconds=50,
    run=run,
    least={"ended sessions": 40, "acknowledged confirmations": 5, "pages read": 5},
    least_in_slice={"ended sessions": 10, "acknowledged confirmations": 2},
)
