"""Where everything that outlives a process is kept: the tree under OPSCONSOLE_DATA."""

import os
from dataclasses import dataclass
from pathlib import Path

from opsconsole.embedded.errors import CannotStart


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """Names the files and folders under one root; `prepare` makes them."""

    root: Path

    @property
    def postgres(self) -> Path:
        """PostgreSQL's own data directory, owned by the account that runs it."""
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        """Valkey's working directory."""
        return self.root / "valkey"

    @property
    def run(self) -> Path:
        """Files of running processes: locks, records of children, sockets."""
        return self.root / "run"

    @property
    def logs(self) -> Path:
        """One log file a process."""
        return self.root / "logs"

    @property
    def static(self) -> Path:
        """Collected static files."""
        return self.root / "static"

    @property
    def record(self) -> Path:
        """Passwords and addresses of the embedded servers, mode 600."""
        return self.root / "embedded.json"

    @property
    def sandbox(self) -> Path:
        """The demo receiver's own stores."""
        return self.root / "sandbox"

    @property
    def demo_record(self) -> Path:
        """Who may sign in to the demo, mode 600."""
        return self.root / "demo.json"

    def log(self, name: str) -> Path:
        """Return the log file of one process."""
        return self.logs / f"{name}.log"

    def prepare(self) -> None:
        """Make the folders. As root others may pass through, so that the servers' account reaches
        its own folders; what holds a secret is mode 600 or 700 by itself."""
        mode = 0o711 if os.geteuid() == 0 else 0o700
        try:
            for folder in (self.root, self.run):
                folder.mkdir(mode=mode, parents=True, exist_ok=True)
                folder.chmod(mode)
            self.logs.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise CannotStart(
                f"OPSCONSOLE_DATA: expected a folder this user can write to; got {self.root} "
                f"({error.strerror}). Give another folder or change its owner."
            ) from error


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step, readable by its owner only."""
    fresh = path.with_name(path.name + ".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
