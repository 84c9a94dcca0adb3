"""Reads opsconsole.toml: environments, kinds, receivers and policies, into frozen values."""

import hashlib
import tomllib
from decimal import Decimal
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from operations.protocol.kinds import Kind, schema_mistakes, template_pointers
from operations.protocol.policies import Policy, policy_mistakes
from operations.receivers.base import ReceiverConfig
from operations.registry import DRILL, REQUESTS_PER_MINUTE, Configuration
from operations.roles import Role
from opsconsole.config_hosts import check_hosts
from opsconsole.config_receivers import read_receiver
from opsconsole.config_statements import read_statements
from opsconsole.drill.environment import drill_configuration
from opsconsole.toml_section import Section, mistake


def load_configuration(path: Path) -> Configuration:
    """The configuration in `path`. Raises ImproperlyConfigured with a sentence naming the key."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ImproperlyConfigured(
            f"OPSCONSOLE_CONFIG: expected a readable file; got {path} ({error.strerror})."
        ) from None
    try:
        values = tomllib.loads(raw.decode("utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"opsconsole.toml: expected TOML; got {error}.") from None
    root = Section(values, "")
    environments = root.texts("environments")
    if not environments:
        raise mistake("environments", "at least one name", list(environments))
    if DRILL in environments:
        raise mistake("environments", "names other than that of the drills", DRILL)
    kinds = root.sections("kinds", _kind)
    receivers: dict[tuple[str, str], ReceiverConfig] = {}
    found = root.sections("receivers", lambda n, s: read_receiver(n, s, environments))
    for configs in found.values():
        receivers.update({(config.environment, config.name): config for config in configs})
    check_hosts(root, receivers.values())
    policies = tuple(
        _policy(section, environments, kinds, receivers)
        for section in root.list_of_sections("policies")
    )
    statements = read_statements(root, {name for _, name in receivers})
    limits = Section(root.table("limits", {}), "limits")
    most = limits.number("api_requests_per_minute", REQUESTS_PER_MINUTE, at_least=1)
    limits.done()
    root.done()
    return Configuration(
        environments=environments,
        kinds=kinds,
        receivers=receivers,
        policies=policies,
        statements=statements,
        digest=hashlib.sha256(raw).hexdigest(),
        api_requests_per_minute=most,
        drill=drill_configuration(receivers.values()),
    )


def _kind(name: str, section: Section) -> Kind:
    schema = section.table("schema")
    for flaw in schema_mistakes(schema):
        raise mistake(f"{section.key('schema')}{flaw[0]}", flaw[1], flaw[2])
    kind = Kind(
        name=name,
        title=section.text("title"),
        schema=schema,
        amount_pointer=section.text("amount_pointer", None),
        currency_pointer=section.text("currency_pointer", None),
        title_template=section.text("title_template", ""),
    )
    if (kind.amount_pointer is None) != (kind.currency_pointer is None):
        raise mistake(section.key("currency_pointer"), "both pointers or neither", "one of them")
    for pointer in template_pointers(kind.title_template):
        first = pointer.split("/")[1]
        if first not in schema.get("properties", {}):
            raise mistake(section.key("title_template"), "members of the schema", f"{{{first}}}")
    section.done()
    return kind


def _policy(
    section: Section,
    environments: tuple[str, ...],
    kinds: dict[str, Kind],
    receivers: dict[tuple[str, str], ReceiverConfig],
) -> Policy:
    policy = Policy(
        name=section.text("name"),
        kinds=_known(section, "kinds", set(kinds)),
        environments=_known(section, "environments", set(environments)),
        receivers=_known(section, "receivers", {name for _, name in receivers}),
        agents=section.texts("agents", ()),
        currency=section.text("currency", None),
        amount_from=section.decimal("amount_from", None),
        equals=dict(section.table("equals", {})),
        needed=section.number("needed", 1),
        role=section.text("role", Role.APPROVER.value),
        request_lives_seconds=section.number("request_lives_seconds", 86_400),
        yes_lives_seconds=section.number("yes_lives_seconds", 3_600),
        sentence=section.text("sentence", ""),
    )
    if policy.role not in set(Role):
        raise mistake(section.key("role"), "one of " + ", ".join(Role), policy.role)
    for field, expected, got in policy_mistakes(policy):
        raise mistake(section.key(field), expected, got)
    section.done()
    return policy


def _known(section: Section, name: str, known: set[str]) -> tuple[str, ...]:
    names = section.texts(name, ())
    for given in names:
        if given not in known:
            raise mistake(section.key(name), f"one of {', '.join(sorted(known))}", given)
    return names
