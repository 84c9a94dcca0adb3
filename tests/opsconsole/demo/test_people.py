"""The demo's people, agents and their secrets: made once, kept afterwards."""

import hashlib
import json

import pytest
from django.contrib.auth.models import User

from operations.models import ApiToken
from operations.roles import Role, roles_of
from opsconsole.demo.people import RESPONSIBLE, ensure_agents, ensure_people
from opsconsole.demo.record import DemoRecord

pytestmark = pytest.mark.django_db


def ensure(record: DemoRecord) -> dict[str, User]:
    people = ensure_people(record)
    ensure_agents(record, people)
    return people


def test_everybody_can_sign_in_with_the_password_on_record_and_has_one_role():
    record = DemoRecord()
    people = ensure(record)
    for name, password in record.passwords.items():
        assert people[name].check_password(password)
    assert {name: set(roles_of(people[name])) for name in record.passwords} == {
        "operator": {Role.OPERATOR},
        "operator2": {Role.OPERATOR},
        "approver": {Role.APPROVER},
        "approver2": {Role.APPROVER},
        "auditor": {Role.AUDITOR},
        "viewer": {Role.VIEWER},
        "admin": {Role.ADMIN},
    }


def test_a_second_start_keeps_passwords_and_tokens():
    record = DemoRecord()
    ensure(record)
    first = json.dumps(record.as_json())
    people = ensure(record)
    assert json.dumps(record.as_json()) == first
    assert people["operator"].check_password(record.passwords["operator"])
    assert ApiToken.objects.count() == 2


def test_who_answers_for_an_agent_is_nobody_who_signs_in():
    record = DemoRecord()
    ensure(record)
    for agent, owner in RESPONSIBLE.items():
        token = ApiToken.objects.get(agent__name=agent)
        assert token.owner.username == token.agent.responsible.username == owner
        assert owner not in record.passwords
        assert not token.owner.has_usable_password()


def test_a_lost_record_is_replaced_by_one_that_works():
    ensure(DemoRecord())
    record = DemoRecord()
    people = ensure(record)
    assert people["viewer"].check_password(record.passwords["viewer"])
    digest = hashlib.sha256(record.tokens["agent-2"].encode()).hexdigest()
    assert ApiToken.objects.get(digest=digest).agent.name == "agent-2"


def test_the_record_has_the_published_shape_and_is_for_its_owner_alone(tmp_path):
    record = DemoRecord(url="http://u", sandbox_url="http://s", sandbox_webhook_secret="whsec_x")
    ensure(record)
    path = tmp_path / "demo.json"
    record.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    said = json.loads(path.read_text())
    assert list(said) == ["url", "users", "api_token", "api_tokens", "receivers"]
    assert said["users"]["auditor"] == {
        "username": "auditor",
        "password": record.passwords["auditor"],
    }
    assert said["api_token"] == said["api_tokens"]["agent-1"] == record.tokens["agent-1"]
    assert said["receivers"] == {"sandbox": {"url": "http://s", "webhook_secret": "whsec_x"}}
    assert DemoRecord.load(path) == record
