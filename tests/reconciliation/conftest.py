"""The sandbox's process for every test that wants it."""

from tests.receiver import sandbox_process_fixture

__all__ = ["sandbox_process_fixture"]
