"""Runs a campaign in a process with mounts of its own: they end with it, whatever becomes of it.

python -m tests.campaigns.surroundings.own_mounts MODULE SEED SECONDS DIRECTORY run|slice
"""

import json
import os
import pwd
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from tests.campaigns.harness.campaign import Run, Tally
from tests.campaigns.harness.children import end_with_parent
from tests.campaigns.surroundings.prepared import PREPARED, PROJECT, prepared

# Starting, healing and looking back, on a machine with much else to do.
AROUND_SECONDS = 240
RESULT = "result: "


def run_in_own_mounts(run: Run, module: str) -> Tally:
    """What `run_inside(run)` of this module returned there; a sentence where there can be none."""
    if os.geteuid() != 0:
        return Tally(points=0, not_run="mounting a small disk needs root")
    mode = "slice" if run.is_slice else "run"
    seconds = str(max(run.seconds_left(), 0))
    command = [sys.executable, "-m", __name__, module, str(run.seed), seconds]
    done = subprocess.run(
        [*command, str(run.directory), mode],
        cwd=PROJECT,
        env={**os.environ, PREPARED: str(prepared())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=run.seconds + AROUND_SECONDS,
        check=False,
        preexec_fn=end_with_parent,
    )
    for line in done.stdout.splitlines():
        if line.startswith(RESULT):
            members = json.loads(line.removeprefix(RESULT))
            return Tally(**members | {"violations": tuple(members["violations"])})
    raise AssertionError(f"the campaign's own process ended without a result:\n{done.stdout}")


def leave_shared_mounts() -> None:
    """From now on what this process mounts is its own. Raises OSError, CalledProcessError."""
    os.unshare(os.CLONE_NEWNS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True, capture_output=True)


def mount_small(place: Path, *, megabytes: int) -> None:
    """A disk of this size for the account of the servers; what lies there is kept on it."""
    account = pwd.getpwnam("nobody")
    was = place.with_name(f"{place.name}.was")
    place.rename(was)
    place.mkdir(mode=0o700)
    options = f"size={megabytes}m,mode=0700,uid={account.pw_uid},gid={account.pw_gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "opsconsole", str(place)], check=True)
    subprocess.run(["cp", "-a", f"{was}/.", str(place)], check=True)
    subprocess.run(["rm", "-rf", str(was)], check=True)


def main() -> None:
    """Leave the shared mounts, run, and print the result as the last line."""
    module, seed, seconds, directory, mode = sys.argv[1:]
    try:
        leave_shared_mounts()
    except (OSError, subprocess.CalledProcessError) as error:
        tally = Tally(points=0, not_run=f"mounts of one's own are not permitted here: {error}")
    else:
        run = Run(
            seed=int(seed),
            seconds=float(seconds),
            directory=Path(directory),
            is_slice=mode == "slice",
        )
        tally = import_module(module).run_inside(run)
    sys.stdout.write(f"\n{RESULT}{json.dumps(asdict(tally))}\n")


if __name__ == "__main__":
    main()
