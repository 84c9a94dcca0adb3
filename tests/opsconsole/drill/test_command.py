"""What the command says of itself: who started it, and no more than that."""

import getpass
import os

from opsconsole.management.commands import drill


def test_of_who_started_it_only_the_account_is_kept(monkeypatch):
    monkeypatch.setenv("LOGNAME", "ruth")
    assert drill._account() == "ruth"


def test_an_account_without_a_name_is_kept_by_its_number(monkeypatch):
    def nameless():
        raise OSError("No username set in the environment")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert drill._account() == f"account {os.getuid()}"
