"""Every campaign, in the order in which they run."""

from importlib import import_module

from tests.campaigns.harness.campaign import Campaign

# Where each campaign's CAMPAIGN stands, under tests.campaigns.
MODULES: tuple[str, ...] = (
    "model.campaign",
    "crash_points.crash_points",
    "crash_points.lost_acks",
    "windows.external_calls",
    "interleavings.meetings",
    "pauses.pauses",
    "pauses.clocks",
    "surroundings.postgres_killed",
    "surroundings.backends_terminated",
    "surroundings.broker",
    "surroundings.disk_full",
    "surroundings.fsync_errors",
    "stateful.campaign",
    "soak.soak",
    "sabotage.sabotage",
)


def campaigns() -> list[Campaign]:
    """All of them. Imported late: most need Django set up."""
    return [import_module(f"tests.campaigns.{name}").CAMPAIGN for name in MODULES]
