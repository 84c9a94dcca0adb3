"""Reads opsconsole.toml: environments, kinds, receivers and policies, into frozen values."""

import hashlib
import tomllib
from decimal import Decimal
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from operations.protocol.kinds import Kind, schema_mistakes, template_pointers
from operations.protocol.policies import Policy, policy_mistakes
from operations.protocol.profiles import Profile, RefusalRule, profile_mistakes
from operations.receivers.base import ConfigMistake, ReceiverConfig
from operations.receivers.connectors import BUILDERS
from operations.receivers.connectors import connector as build_connector
from operations.registry import DRILL, REQUESTS_PER_MINUTE, Configuration
from operations.roles import Role
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
    for configs in root.sections("receivers", lambda n, s: _receiver(n, s, environments)).values():
        receivers.update({(config.environment, config.name): config for config in configs})
    policies = tuple(
        _policy(section, environments, kinds, receivers)
        for section in root.list_of_sections("policies")
    )
    limits = Section(root.table("limits", {}), "limits")
    most = limits.number("api_requests_per_minute", REQUESTS_PER_MINUTE, at_least=1)
    limits.done()
    root.done()
    return Configuration(
        environments=environments,
        kinds=kinds,
        receivers=receivers,
        policies=policies,
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


def _receiver(name: str, section: Section, environments: tuple[str, ...]) -> list[ReceiverConfig]:
    connector = section.text("connector")
    if connector not in BUILDERS:
        raise mistake(section.key("connector"), " or ".join(sorted(BUILDERS)), connector)
    profile = _profile(name, connector, section)

    def in_environment(environment: str, place: Section) -> ReceiverConfig:
        if environment not in environments:
            raise mistake(place.path, f"one of {', '.join(environments)}", environment)
        config = ReceiverConfig(
            name=name,
            environment=environment,
            profile=profile,
            base_url=place.text("base_url", ""),
            webhook_secret=place.text("webhook_secret", ""),
            credentials={key: str(value) for key, value in place.table("credentials", {}).items()},
        )
        if profile.has_lookup and not config.base_url:
            raise mistake(place.key("base_url"), "an address, since it can be looked up", "nothing")
        place.done()
        try:
            build_connector(config)
        except ConfigMistake as flaw:
            raise mistake(place.key(flaw.field_name), flaw.expected, flaw.got) from None
        return config

    configs = list(section.sections("environments", in_environment).values())
    section.done()
    if not configs:
        raise mistake(section.key("environments"), "at least one environment", "none")
    return configs


def _profile(name: str, connector: str, section: Section) -> Profile:
    refusals = []
    for rule in section.list_of_sections("definite_refusals"):
        refusals.append(RefusalRule(rule.number("status", None), rule.text("code", None)))
        rule.done()
    fields = section.texts("significant_fields", ())
    profile = Profile(
        receiver=name,
        connector=connector,
        deduplicates=section.flag("deduplicates", default=False),
        dedup_window_seconds=section.number("dedup_window_seconds", None),
        dedup_margin_seconds=section.number("dedup_margin_seconds", 0),
        notices_changed_payload=section.flag("notices_changed_payload", default=False),
        has_lookup=section.flag("has_lookup", default=False),
        lookup_lag_seconds=section.number("lookup_lag_seconds", 0),
        delivery_delay_seconds=section.number("delivery_delay_seconds", 0),
        enforces_fencing=section.flag("enforces_fencing", default=False),
        send_within_seconds=section.number("send_within_seconds", 30, at_least=1),
        definite_refusals=tuple(refusals),
        significant_fields=fields or None,
        second_person=section.flag("second_person", default=True),
        lookup_interval_seconds=section.number("lookup_interval_seconds", 30, at_least=1),
        lookup_limit_seconds=section.number("lookup_limit_seconds", 900, at_least=1),
        link_template=section.text("link_template", ""),
        contact=section.text("contact", ""),
        runbook=section.text("runbook", ""),
        claims_before_stalled=section.number("claims_before_stalled", 5, at_least=1),
        due_limit_seconds=section.number("due_limit_seconds", 300, at_least=1),
    )
    for field, expected, got in profile_mistakes(profile):
        raise mistake(section.key(field), expected, got)
    return profile


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
