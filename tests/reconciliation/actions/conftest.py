"""The configured sandbox for every test here."""

from tests.receiver import sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]
