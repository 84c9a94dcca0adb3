"""Passwords and addresses of the embedded servers, kept in embedded.json (mode 600)."""

import json
import secrets
from base64 import b64encode
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import quote

from opsconsole.embedded.directory import write_private
from opsconsole.embedded.errors import CannotStart

DATABASE = "opsconsole"
SUPERUSER = "postgres"
OWNER = "ops_owner"
RUNTIME = "ops_runtime"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServersRecord:
    """What a process needs to reach the servers of one data directory."""

    superuser_password: str
    owner_password: str
    runtime_password: str
    broker_password: str
    sandbox_webhook_secret: str
    socket_directory: str = ""
    broker_port: int = 0
    sandbox_port: int = 0

    @classmethod
    def fresh(cls) -> Self:
        """Return a record with new passwords and no addresses yet."""
        return cls(
            superuser_password=secrets.token_urlsafe(24),
            owner_password=secrets.token_urlsafe(24),
            runtime_password=secrets.token_urlsafe(24),
            broker_password=secrets.token_urlsafe(24),
            sandbox_webhook_secret="whsec_" + b64encode(secrets.token_bytes(24)).decode(),
        )

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Return the kept record, or None when there is none yet."""
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise CannotStart(f"{path}: expected the servers' record as JSON; {error}.") from error
        try:
            return cls(**members)
        except TypeError as error:
            raise CannotStart(
                f"{path}: expected the members {', '.join(cls.__slots__)}; got "
                f"{', '.join(members) if isinstance(members, dict) else type(members).__name__}."
            ) from error

    def save(self, path: Path) -> None:
        """Write the record in one step."""
        write_private(path, json.dumps(asdict(self), indent=1))

    def at(self, *, socket_directory: Path, broker_port: int, sandbox_port: int) -> Self:
        """Return the record with the addresses of this start."""
        return replace(
            self,
            socket_directory=str(socket_directory),
            broker_port=broker_port,
            sandbox_port=sandbox_port,
        )

    @property
    def database_url(self) -> str:
        """The run-time role's URL."""
        return self._postgres_url(RUNTIME, self.runtime_password, DATABASE)

    @property
    def owner_url(self) -> str:
        """The owner's URL, for migrations."""
        return self._postgres_url(OWNER, self.owner_password, DATABASE)

    @property
    def broker_url(self) -> str:
        """Valkey's URL, on loopback."""
        return f"redis://:{quote(self.broker_password)}@127.0.0.1:{self.broker_port}/0"

    @property
    def sandbox_url(self) -> str:
        """The demo's receiver, on loopback."""
        return f"http://127.0.0.1:{self.sandbox_port}"

    def superuser_url(self, database: str) -> str:
        """The superuser's URL: for making roles, never for the console."""
        return self._postgres_url(SUPERUSER, self.superuser_password, database)

    def _postgres_url(self, role: str, password: str, database: str) -> str:
        where = quote(self.socket_directory, safe="")
        return f"postgresql://{role}:{quote(password)}@/{database}?host={where}"
