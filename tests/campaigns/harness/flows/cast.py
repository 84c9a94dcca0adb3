"""Who takes part: an agent with a token, and people who are signed in.

They are made when they are missing, so that it does not matter when the tables were emptied.
"""

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.urls import reverse

from operations import clock
from operations.actions.note_token_use import note_token_use
from operations.actors import Actor
from operations.models import Agent, ApiToken, Operation
from tests.build import a_person, as_actor
from tests.campaigns.harness.flows.flow import Subject
from tests.operations.api.caller import ApiCaller, a_caller

_sessions: dict[str, str] = {}
_callers: dict[str, ApiCaller] = {}
# The test client's own host name is none that the console answers to.
HOST = "localhost"


def a_key(word: str) -> str:
    """A key that nobody else has."""
    return f"{word}-{uuid.uuid4().hex}"


def person(role: str, number: int = 1) -> User:
    """Somebody with this role; the same one for the same number."""
    name = f"{role}-{number}"
    return User.objects.filter(username=name).first() or a_person(name, role)


def actor(role: str, number: int = 1) -> Actor:
    """That person, as actions know them."""
    return as_actor(person(role, number))


def agent() -> Agent:
    """The agent of all flows; somebody without a role is responsible for it."""
    found = Agent.objects.filter(name="agent").first()
    return found or Agent.objects.create(name="agent", responsible=person("viewer"))


def caller(name: str = "agent") -> ApiCaller:
    """An agent with a token whose use needs no noting for a day."""
    known = _callers.get(name)
    if known is None or not ApiToken.objects.filter(digest=known.token.digest).exists():
        known = _callers[name] = new_caller(name)
        note_token_use(known.token, at=clock.now() + timedelta(days=1))
    return known


def new_caller(name: str = "agent") -> ApiCaller:
    """An agent with a token that nobody has used yet."""
    return a_caller(name, owner=person("viewer"))


def ask(subject: Subject, method: str, path: str, body: Any = None) -> str:
    """One call of the API: its status, and the code of a problem document."""
    assert subject.caller is not None
    answer = subject.caller.call(method, path, body, HTTP_HOST=HOST)
    code = answer.json.get("code", "") if answer.status >= 400 else ""
    return f"{answer.status} {code}".strip()


def press(user: User, url: str, **typed: Any) -> str:
    """Send a form of the pages, signed in as this person: the answer's status."""
    client = Client(SERVER_NAME=HOST)
    client.cookies[settings.SESSION_COOKIE_NAME] = _session(user)
    return str(client.post(url, typed).status_code)


def decide(subject: Subject, user: User, noun: str, *more: int, **typed: Any) -> str:
    """Send one of the forms of the operation's page, as it was shown at the arranged version."""
    operation: Operation = subject.row
    url = reverse(f"operations:{noun}", args=[operation.pk, *more])
    form = {"version": operation.version, "decision_id": f"{noun}-{subject.key}"[:64]}
    return press(user, url, **{**form, **typed})


def sign_in(*users: User) -> None:
    """Sign in while the state is arranged, so that no flow begins with that."""
    for user in users:
        _session(user)


def _session(user: User) -> str:
    """The key of a live session of that person."""
    key = _sessions.get(user.username)
    if key is None or not SessionStore(key).exists(key):
        client = Client()
        client.force_login(user)
        key = _sessions[user.username] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return key
