"""Which account runs the servers. PostgreSQL refuses root, so as root they run as another one."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from opsconsole.embedded.errors import CannotStart


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An unprivileged account, and whether it may pass folders that are closed to it.

    A clone under /root is closed to every other account. The servers then keep the one capability
    that opens folders (CAP_DAC_OVERRIDE): the alternative is to change the owner's folders.
    """

    uid: int
    gid: int
    passes_closed_folders: bool

    def prefix(self) -> list[str]:
        """Return the setpriv options that turn root into this account."""
        options = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups", "--no-new-privs"]
        if self.passes_closed_folders:
            options += ["--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override"]
            # Else access(2), by which initdb looks for its siblings, ignores the capability.
            options += ["--securebits=+no_setuid_fixup"]
        return options


def servers_account(name: str, *, must_reach: list[Path]) -> Account | None:
    """Return the account for the servers, or None when we are an ordinary user already."""
    if os.geteuid() != 0:
        return None
    if shutil.which("setpriv") is None:
        raise CannotStart(
            "PostgreSQL does not run as root, and setpriv (package util-linux), which would start "
            "it as another account, was not found. Install it, run as an ordinary user, or give "
            "DATABASE_URL."
        )
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise CannotStart(
            f'EMBEDDED_ACCOUNT: expected an account of this machine; got "{name}".'
        ) from None
    if entry.pw_uid == 0:
        raise CannotStart(
            f"EMBEDDED_ACCOUNT: expected an account other than root, which PostgreSQL refuses; "
            f'got "{name}".'
        )
    plain = Account(uid=entry.pw_uid, gid=entry.pw_gid, passes_closed_folders=False)
    if _reaches(plain, must_reach):
        return plain
    keeping = Account(uid=entry.pw_uid, gid=entry.pw_gid, passes_closed_folders=True)
    if _reaches(keeping, must_reach):
        return keeping
    raise CannotStart(
        f"The account {name}, which runs PostgreSQL because root may not, cannot reach "
        f"{must_reach[0]}. Move the project out of a closed folder, run as an ordinary user, or "
        "give DATABASE_URL."
    )


def _reaches(account: Account, paths: list[Path]) -> bool:
    # Asking as that account is the only answer that covers modes, ACLs and missing capabilities.
    script = 'for path; do test -x "$path" || exit 1; done'
    command = ["setpriv", *account.prefix(), "--", "sh", "-c", script, "sh", *map(str, paths)]
    return subprocess.run(command, check=False, capture_output=True, cwd="/").returncode == 0
