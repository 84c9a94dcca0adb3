"""demo.json: who may sign in, which tokens agents use, and where the sandbox is (mode 600)."""

import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from opsconsole.embedded.directory import write_private

PEOPLE = ("operator", "operator2", "approver", "approver2", "auditor", "viewer", "admin")
AGENTS = ("agent-1", "agent-2")
PASSWORD_CHARACTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # noqa: S105


@dataclass(slots=True, kw_only=True)
class DemoRecord:
    """The secrets of one data directory's demo; they outlive every restart.

    `passwords` is by username, `tokens` by agent name.
    """

    url: str = ""
    sandbox_url: str = ""
    sandbox_webhook_secret: str = ""
    passwords: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The kept record; an empty one when there is none yet. Raises ValueError, KeyError."""
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        sandbox = members["receivers"]["sandbox"]
        return cls(
            url=members["url"],
            sandbox_url=sandbox["url"],
            sandbox_webhook_secret=sandbox["webhook_secret"],
            passwords={
                person["username"]: person["password"] for person in members["users"].values()
            },
            tokens=dict(members["api_tokens"]),
        )

    def save(self, path: Path) -> None:
        """Write it in one step, readable by its owner only."""
        write_private(path, json.dumps(self.as_json(), indent=1))

    def as_json(self) -> dict[str, Any]:
        """The published shape (a contract); `api_token` is agent-1's."""
        return {
            "url": self.url,
            "users": {
                name: {"username": name, "password": self.passwords[name]} for name in PEOPLE
            },
            "api_token": self.tokens[AGENTS[0]],
            "api_tokens": {name: self.tokens[name] for name in AGENTS},
            "receivers": {
                "sandbox": {
                    "url": self.sandbox_url,
                    "webhook_secret": self.sandbox_webhook_secret,
                }
            },
        }


def new_password() -> str:
    """A random password of 92 bits; none of its characters is mistaken for another."""
    return "".join(secrets.choice(PASSWORD_CHARACTERS) for _ in range(16))
